/** `partner-metrics zones`: the time zone rules in force; `zones update` puts those of this Node.js in force. */
import type { Command } from 'commander'
import { quote } from '../../db/file-errors'
import { suggestion } from '../../db/nearest-name'
import type { RestatementOptions } from '../../db/operations/restatement'
import { type ComparedZone, compareZones } from '../../db/zones/compare-rules'
import { updateZones } from '../../imports/relocation/update-rules'
import { type Invocation, UsageError } from '../invocation'
import { addRestatementOptions, checkRestatementOptions } from '../option-values'
import { tableOf } from '../text/fitted-table'
import { withOwner } from './owner'

export function register(program: Command, invocation: Invocation): void {
  const zones = program
    .command('zones')
    .description('show the time zone rules in force, and where those of this Node.js differ')
    .allowExcessArguments()
    .action(async (_, { args: [word] }: Command) => {
      if (word !== undefined) {
        throw new UsageError('USAGE', `unknown command ${quote(word)}${suggestion(word, ['update'])}`)
      }
      const rows = await withOwner(invocation, ({ pool }) => compareZones(pool))
      invocation.printResult({ rows }, width => formatZones(rows, width))
    })
  addRestatementOptions(zones.command('update'))
    .description('put the rules of this Node.js in force, and cut the affected days again')
    .option('--dry-run', 'only show what would be changed')
    .action(async (options: RestatementOptions & { dryRun?: boolean }) => {
      checkRestatementOptions(options)
      const rows = await withOwner(invocation, ({ pool }) =>
        updateZones(pool, { ...options, onWait: invocation.printMessage }),
      )
      const { dryRun = false } = options
      const heading = dryRun ? 'would be updated (nothing was changed):' : 'updated:'
      invocation.printResult({ dry_run: dryRun, rows }, width =>
        rows.length > 0 ? [heading, zoneTable(rows, width)] : 'the rules in force are those of this Node.js',
      )
    })
}

function formatZones(rows: readonly ComparedZone[], width: number | undefined): string[] {
  if (rows.length === 0) return ['no time zone has rules yet']
  const isDue = rows.some(({ version, node_version, differs_from }) => differs_from !== null && version < node_version)
  return [
    zoneTable(rows, width),
    ...(isDue ? ['', '`partner-metrics zones update` puts the rules of this Node.js in force'] : []),
  ]
}

const zoneTable = (rows: readonly ComparedZone[], width: number | undefined): string => {
  const days = ({ differs_from, sensor_days }: ComparedZone) => (differs_from === null ? null : sensor_days)
  const versions = { 'in force': 'version', 'Node.js': 'node_version', 'differ from': 'differs_from' } as const
  return tableOf(rows, { zone: 'zone', ...versions, assets: 'assets', 'sensor-days': days }, [], width)
}
