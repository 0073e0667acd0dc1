/**
 * How Jest loads modules: what is ours each test file has for itself, packages are loaded once a process, by Node as in
 * production. Most files need the whole service, and to load and warm up its packages takes longer than what most test.
 */
const { createRequire, isBuiltin } = require('node:module')
const { default: Runtime } = require('jest-runtime')

module.exports = class extends Runtime {
  requireModuleOrMock(from, name) {
    const isPackage = !/^[./]/.test(name) && !isBuiltin(name)
    return isPackage ? createRequire(from)(name) : super.requireModuleOrMock(from, name)
  }
}
