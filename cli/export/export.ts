/** `partner-metrics export`: writes all data into a folder, or the impressions of all assets to a file or to stdout. */
import { type Command, Option } from 'commander'
import { GRAINS } from '../../db/calendar/grains'
import { FLAT_FORMATS } from '../../rest-gateway/formats/formats'
import type { Invocation } from '../invocation'
import { dateValue } from '../option-values'
import { registerExportAll } from './export-all'
import type { ExportImpressionsOptions } from './export-impressions'

export function register(program: Command, invocation: Invocation): void {
  const command = program.command('export').description('write data to files')
  registerExportAll(command, invocation)
  command
    .command('impressions')
    .description('write the impressions of all assets, as /v1/partner/impressions returns them')
    .requiredOption('--from <date>', "first day, in each asset's time zone", dateValue)
    .requiredOption('--to <date>', 'last day, inclusive', dateValue)
    .option('--company <company>', 'only the assets of this company: its id or name')
    .addOption(new Option('--grain <grain>', 'the length of a bucket').choices(Object.keys(GRAINS)).default('day'))
    .addOption(
      new Option('--output-format <format>', 'the format').choices(Object.keys(FLAT_FORMATS)).makeOptionMandatory(),
    )
    .option('--output <file>', 'write to this file instead of stdout')
    .action((options: ExportImpressionsOptions) => {
      // It loads the gateway, which the help of all commands does without.
      const { exportImpressions } = require('./export-impressions') as typeof import('./export-impressions')
      return exportImpressions(invocation, options)
    })
}
