/**
 * Runs test files in the context of their Jest worker, because modules that a worker loads once (runtime.js) have to make the
 * same kind of arrays and errors as the tests.
 */
const vm = require('node:vm')
const { ModernFakeTimers } = require('@jest/fake-timers')
const { ModuleMocker } = require('jest-mock')

/** Represents the context of the worker, for which Node has no object. */
const WORKER_CONTEXT = {}

const { compileFunction } = vm
vm.compileFunction = (code, parameters, { parsingContext, ...options }) =>
  compileFunction(code, parameters, parsingContext === WORKER_CONTEXT ? options : { ...options, parsingContext })

module.exports = class {
  global = globalThis
  moduleMocker = new ModuleMocker(globalThis)
  fakeTimers = null

  constructor({ projectConfig }) {
    this.globals = projectConfig.globals
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis })
    this.console = console
    // It keeps its matchers and its state in a global, which it creates only when it is loaded.
    require('expect')
    this.symbols = Object.getOwnPropertySymbols(globalThis)
    Object.assign(globalThis, this.globals)
  }

  async setup() {}

  /** Removes what Jest keeps in globals for a test file, which would add up. */
  async teardown() {
    this.fakeTimersModern.dispose()
    for (const name of Object.keys(this.globals)) delete globalThis[name]
    for (const symbol of Object.getOwnPropertySymbols(globalThis)) {
      if (!this.symbols.includes(symbol)) Reflect.deleteProperty(globalThis, symbol)
    }
    globalThis.console = this.console
  }

  exportConditions() {
    return ['node', 'node-addons']
  }

  getVmContext() {
    return WORKER_CONTEXT
  }
}
