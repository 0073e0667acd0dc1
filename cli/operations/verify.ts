/** `partner-metrics verify`: recomputes what is stored as an aggregate of something else, and reports differences. */
import type { Command } from 'commander'
import { countOf } from '../../db/count-of'
import type { RestatementOptions } from '../../db/operations/restatement'
import type { Difference } from '../../db/verify/compare'
import { repair, type Verification, verify } from '../../db/verify/verify'
import type { Invocation } from '../invocation'
import { addRestatementOptions, checkRestatementOptions, dateValue } from '../option-values'
import { MessageLog } from '../text/message-log'
import { printableLine } from '../text/printable'
import { withOwner } from './owner'

interface VerifyCommandOptions extends RestatementOptions {
  repair?: boolean
  since?: string
}

/** Longer values are truncated in lines; the JSON document has them whole. */
const MAX_LENGTH = 60

export function register(program: Command, invocation: Invocation): void {
  const command = program
    .command('verify')
    .description('recompute totals and copied columns, and report what differs from what is stored')
    .option('--repair', 'store the recomputed values; nothing, if some can only come from a backup')
    .option('--since <date>', 'check the local days from this one on, and their months', dateValue)
  addRestatementOptions(command)
    .addHelpText('after', '\nExit code: 1 if there is a difference that was not repaired.')
    .action(async ({ repair: repairing = false, since, ...restatement }: VerifyCommandOptions) => {
      checkRestatementOptions(restatement)
      const { isJson: json } = invocation
      const log = new MessageLog(invocation.stdout)
      let separator = '{"differences":['
      const onDifference = async (difference: Difference, repaired = false) => {
        log.print(
          json
            ? `${separator}${JSON.stringify({ ...difference, repaired })}`
            : formatDifference(difference, repaired ? ': repaired' : repairing ? ': only a backup brings it back' : ''),
        )
        separator = ','
      }
      const result = await withOwner(invocation, ({ pool }) =>
        repairing
          ? repair(pool, onDifference, { since, ...restatement, onWait: invocation.printMessage })
          : verify(pool, onDifference, { since }),
      )
      const opened = separator === ',' ? '' : separator
      log.print(
        json
          ? `${opened}],${JSON.stringify({ since: since ?? null, ...result }).slice(1)}`
          : summarizeVerification(result, since),
      )
      await log.deliver()
      if (result.found > result.repaired) invocation.exitCode = 1
    })
}

function formatDifference({ table, row, column, stored, expected }: Difference, outcome: string): string {
  const text = (value: string | null) =>
    value === null ? 'null' : value.length > MAX_LENGTH ? `${value.slice(0, MAX_LENGTH)}…` : value
  const difference = `${column} of ${row} is ${text(stored)} instead of ${text(expected)}`
  return printableLine(`${table}: ${difference}${outcome}`)
}

function summarizeVerification({ checked, found, repaired }: Verification, since: string | undefined): string {
  const { sensor_days = 0, ...derived } = checked
  const rows = Object.values(derived).reduce((sum, number) => sum + number, 0)
  const outcome = found === 0 ? 'no differences' : `${countOf(found, 'difference')}, ${repaired} repaired,`
  const figures = `${countOf(sensor_days, 'sensor-day')} and ${countOf(rows, 'row that derives', 'rows that derive')} from them`
  return `${outcome} in ${figures}${since === undefined ? '' : `; of days and months before ${since} nothing was checked`}`
}
