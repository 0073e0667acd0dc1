/** `partner-metrics demo`: a synthetic data set to look at, loaded into memory only where it is asked for. */
import type { Command } from 'commander'

export function register(program: Command): void {
  program
    .command('demo')
    .description('load synthetic data up to yesterday and issue one key of each kind; again: no change of data')
    .option('--json', 'print one JSON document')
    .action(async ({ json = false }: { json?: boolean }) => (await import('./demo/run.js')).runDemo(json))
}
