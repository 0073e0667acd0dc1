/** `partner-metrics serve`: serves the interfaces over HTTP. */
import type { Command } from 'commander'
import type { Invocation } from '../invocation'
import { readSettings } from '../settings'

export function register(program: Command, invocation: Invocation): void {
  program
    .command('serve')
    .description('serve the API, its documentation and the explorer over HTTP, until SIGINT or SIGTERM')
    .action(async () => {
      const settings = readSettings(invocation.env)
      const { serve } = require('./service') as typeof import('./service')
      return serve(invocation, settings)
    })
}
