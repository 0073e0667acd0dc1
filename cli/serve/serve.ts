/** `partner-metrics serve`: serves the interfaces over HTTP. */
import cluster from 'node:cluster'
import type { Command } from 'commander'
import type { Invocation } from '../invocation'
import { readSettings } from '../settings'

export function register(program: Command, invocation: Invocation): void {
  program
    .command('serve')
    .description('serve the API, its documentation and the explorer over HTTP, until SIGINT or SIGTERM')
    .action(async () => {
      const settings = readSettings(invocation.env)
      if (cluster.isWorker) {
        const { serveAsWorker } = require('./workers/worker') as typeof import('./workers/worker')
        return serveAsWorker(invocation, settings)
      }
      const { serve } = require('./service') as typeof import('./service')
      return serve(invocation, settings)
    })
}
