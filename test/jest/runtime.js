/**
 * Loads packages and the service's own modules once for each Jest worker, with Node's require(): to evaluate them again for
 * each test file takes longer than most files. Modules of tests are loaded by Jest for each file, as usual.
 */
const { createRequire } = require('node:module')
const { join, sep } = require('node:path')
const { default: Runtime } = require('jest-runtime')
const { addHook } = require('sucrase/dist/register')

const TESTS = join(__dirname, '..') + sep

addHook(
  '.ts',
  { transforms: ['imports', 'typescript'], disableESTransforms: true },
  { matcher: file => !file.startsWith(TESTS) },
)

// `./examples` is examples.ts, not examples.json.
for (const extension of ['.json', '.node']) {
  const load = require.extensions[extension]
  delete require.extensions[extension]
  require.extensions[extension] = load
}

/** Packages that differ between test files. */
const OF_JEST = ['@jest/globals', 'expect']

module.exports = class extends Runtime {
  requireModuleOrMock(from, name) {
    if (OF_JEST.includes(name) || !from.startsWith(TESTS)) return super.requireModuleOrMock(from, name)
    const load = createRequire(from)
    return load.resolve(name).startsWith(TESTS) ? super.requireModuleOrMock(from, name) : load(name)
  }
}
