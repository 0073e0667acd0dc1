#!/usr/bin/env node
/**
 * The entry point: checks the version of Node before it loads anything, because packages fail to load in older
 * versions. Older versions have to be able to parse this file: it has no imports, and no syntax after ES2015.
 */

/** Loading ES modules with require(), which came to several versions. */
const isSupported = (process.features as { require_module?: boolean }).require_module === true

if (isSupported) {
  // Libraries read it while they load, and check more than production needs if it is not set.
  const { env } = process
  env.NODE_ENV = env.NODE_ENV || 'production'
  const { handleSignals, shutdownSignal } = require('./shutdown') as typeof import('./shutdown')
  handleSignals()
  const reportEnd = () => {
    const { reason = 'nothing was left to wait for, or a package ended it' } = shutdownSignal
    process.stderr.write(`error: the process ended before its command did: ${reason}\n`)
    process.exitCode = 1
  }
  process.on('exit', reportEnd)
  const { run } = require('./command-line') as typeof import('./command-line')
  run(process.argv.slice(2), env, process).then(code => {
    process.off('exit', reportEnd)
    process.exit(code)
  })
} else {
  process.stderr.write(
    `error: partner-metrics requires Node.js 20.19, 22.12 or a later version, but this is ${process.version}\n`,
  )
  process.exitCode = 1
}
