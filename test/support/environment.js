/** Where a test file runs: a context of its own, where an Error is the same class as for the packages outside (runtime.js). */
const { TestEnvironment } = require('jest-environment-node')

/** What the engine throws by itself is of the context's own classes, which become kinds of that one Error. */
const KINDS = ['EvalError', 'RangeError', 'ReferenceError', 'SyntaxError', 'TypeError', 'URIError']

module.exports = class extends TestEnvironment {
  constructor(...args) {
    super(...args)
    for (const kind of KINDS) Object.setPrototypeOf(this.global[kind].prototype, Error.prototype)
    this.global.Error = Error
  }
}
