/** `partner-metrics demo`: loads synthetic data. Its generator is loaded only when the command runs. */
import type { Command } from 'commander'

export function register(program: Command): void {
  program
    .command('demo')
    .description('load synthetic data up to yesterday and issue its keys; changes nothing if it was loaded before')
    .option('--json', 'print one JSON document')
    .action(async ({ json = false }: { json?: boolean }) => (await import('./demo/run.js')).runDemo(json))
}
