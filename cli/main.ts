#!/usr/bin/env node
/**
 * The entry point: checks the version of Node before it loads anything, because packages fail to load in older versions.
 * Older versions have to be able to parse this file: it has no imports, and no syntax after ES2015.
 */

/** Loading ES modules with require(), which came to several versions. */
const isSupported = (process.features as { require_module?: boolean }).require_module === true

if (isSupported) require('./command-line')
else {
  process.stderr.write(
    `error: partner-metrics requires Node.js 20.19, 22.12 or a later version, but this is ${process.version}\n`,
  )
  process.exitCode = 1
}
