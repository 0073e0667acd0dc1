/** `partner-metrics serve`: the service, loaded only where it is to serve, for the other commands need nothing of it. */
import cluster from 'node:cluster'
import type { Command } from 'commander'
import { readSettings } from './settings'

export function register(program: Command): void {
  program
    .command('serve')
    .description('serve the interfaces over HTTP, until SIGINT or SIGTERM')
    .action(async () => {
      const settings = readSettings(process.env)
      // A worker listens from its first tick on: what the primary hands over is lost on whoever comes later.
      if (cluster.isWorker)
        await (require('./serve/worker') as typeof import('./serve/worker.js')).serveAsWorker(settings)
      else await (await import('./serve/service.js')).serve(settings)
    })
}
