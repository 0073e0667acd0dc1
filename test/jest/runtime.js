/**
 * Loads packages and the service's own modules once for each Jest worker, with Node's require(): to evaluate them again for
 * each test file takes longer than most files. Modules of tests are loaded by Jest for each file, as usual, but for ONCE.
 */
const { createRequire } = require('node:module')
const { join, sep } = require('node:path')
const { default: Runtime } = require('jest-runtime')
const { addHook } = require('sucrase/dist/register')

const TESTS = join(__dirname, '..') + sep

/** Modules of tests that use nothing of Jest, and keep something that other files need too. */
const ONCE = ['databases.ts', 'openapi-check.ts'].map(name => join(TESTS, 'support', name))

/** @returns whether Jest loads a module */
const isOfTest = file => file.startsWith(TESTS) && !ONCE.includes(file)

addHook(
  '.ts',
  { transforms: ['imports', 'typescript'], disableESTransforms: true },
  { matcher: file => !isOfTest(file) },
)

// `./examples` is examples.ts, not examples.json.
for (const extension of ['.json', '.node']) {
  const load = require.extensions[extension]
  delete require.extensions[extension]
  require.extensions[extension] = load
}

module.exports = class extends Runtime {
  requireModuleOrMock(from, name) {
    if (!from.startsWith(TESTS)) return super.requireModuleOrMock(from, name)
    const load = createRequire(from)
    return isOfTest(load.resolve(name)) ? super.requireModuleOrMock(from, name) : load(name)
  }

  /** Jest evaluates the packages that its own ones use, a hundred modules, again for each file as well. */
  requireInternalModule(from, name) {
    const isPackage = name !== undefined && /^[@a-z][^:]*$/.test(name)
    return isPackage ? createRequire(from)(name) : super.requireInternalModule(from, name)
  }
}
