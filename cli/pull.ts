/** `partner-metrics pull`: keeps a partner's copy of the data. */
import { type Command, Option } from 'commander'
import type { Options } from '../client/pull/run'
import { GRAINS } from '../db/calendar/grains'
import type { Invocation } from './invocation'
import { dateValue, optionValue } from './option-values'

/** Longer buckets are sums of days, and would have to be read again as a whole after each change. */
const COPIED_GRAINS = Object.keys(GRAINS).slice(0, Object.keys(GRAINS).indexOf('day') + 1)

const EXAMPLES = `
The first run copies everything, each further one what has changed. A run can be interrupted at any time and started again.
The tables are assets, sensors, impressions, origins and demographics by month, and state. There are no rows without data.

Examples:
  partner-metrics pull --url https://metrics.example --key-file metrics.key --to copy
  partner-metrics pull --url https://metrics.example --key-file metrics.key --to sqlite:metrics.db --grain hour
  partner-metrics pull --url https://metrics.example --key-file metrics.key --to postgres://me@localhost/metrics

Exit codes: 0 the copy is complete, 1 it is not, or --verify found a difference, 2 wrong usage.`

export function register(program: Command, invocation: Invocation): void {
  program
    .command('pull')
    .description("keep a copy of a partner's data in a folder or database, with an API key")
    .requiredOption('--url <url>', 'the address of the service', optionValue)
    .requiredOption('--key-file <file>', 'a file with the API key; - reads standard input', optionValue)
    .requiredOption(
      '--to <target>',
      'a folder for CSV files, sqlite:FILE, duckdb:FILE or postgres://USER@HOST/DATABASE',
      optionValue,
    )
    .addOption(
      new Option('--grain <grain>', 'the length of a bucket of impressions').choices(COPIED_GRAINS).default('day'),
    )
    .option('--from <date>', 'the first day; by default everything is copied', dateValue)
    .option('--no-audience', 'leave out origins and demographics, which take a request for each asset and month')
    .option('--verify', 'compare the impressions of each asset with the service afterwards')
    .option('--json', 'print one JSON document')
    .addHelpText('after', EXAMPLES)
    .action((options: Options) => {
      // It loads the routes, which the help of all commands does without.
      const { pull } = require('../client/pull/run') as typeof import('../client/pull/run')
      return pull(invocation, options)
    })
}
