/**
 * Environment and transform of Jest that load packages and the service's own modules once for each worker, by Node's require():
 * to evaluate them again for each test file takes longer than most files. Jest evaluates tests for each file, as usual.
 */
const { createHash } = require('node:crypto')
const { ModernFakeTimers } = require('@jest/fake-timers')
const { TestEnvironment } = require('jest-environment-node')
require('sucrase/register/ts')

// `./openapi` is openapi.ts, not openapi.json.
for (const extension of ['.json', '.node']) {
  const load = require.extensions[extension]
  delete require.extensions[extension]
  require.extensions[extension] = load
}

module.exports = class extends TestEnvironment {
  constructor(config, context) {
    super(config, context)
    this.global.requireOnce = require
    // The timers of the modules that are loaded here.
    this.fakeTimersModern = new ModernFakeTimers({ config: config.projectConfig, global: globalThis })
  }

  /** Leaves modules as they are for the process that runs global-setup.ts, which is no worker. */
  static process(source) {
    return { code: process.env.JEST_WORKER_ID ? 'module.exports = requireOnce(__filename)' : source }
  }

  static getCacheKey(source, file) {
    return createHash('sha1')
      .update(`${file}\0${module.exports.process(source).code}`)
      .digest('hex')
  }
}
