#!/usr/bin/env node
/** The entry point of `partner-metrics-pull`. */
import { pullCommand } from './command'
import { PullError } from './pull-error'

const controller = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => controller.abort(new PullError('INTERRUPTED', `interrupted by ${signal}`)))
}
// A reader that is gone wanted no more; other output that is lost is an error.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code !== 'EPIPE') process.exitCode = 1
  })
}

const { version } = require('partner-metrics-client/package.json') as { version: string }

pullCommand('partner-metrics-pull', process, controller.signal, exitCode => {
  process.exitCode ||= exitCode
})
  .version(version)
  .exitOverride(({ exitCode, message }) => {
    if (exitCode !== 0 && process.argv.includes('--json')) {
      process.stdout.write(
        `${JSON.stringify({ error: { code: 'USAGE', message: message.replace(/^error: /, '') } })}\n`,
      )
    }
    process.exit(exitCode === 0 ? 0 : 2)
  })
  .parse()
