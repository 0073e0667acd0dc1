/** `partner-metrics demo`: loads synthetic data. Its generator is loaded only when the command runs. */
import type { Command } from 'commander'
import type { Invocation } from '../invocation'

export function register(program: Command, invocation: Invocation): void {
  program
    .command('demo')
    .description('load synthetic data up to yesterday, and issue keys that read it; run again, it changes nothing')
    .action(() => (require('./run') as typeof import('./run')).runDemo(invocation))
}
