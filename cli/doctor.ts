/** `partner-metrics doctor`: names sensors whose counts cannot be trusted, with the evidence and the command that mends them. */
import type { Command } from 'commander'
import { type Diagnosis, diagnose } from '../db/doctor/doctor'
import { recordDiagnosis } from '../db/doctor/record'
import { findNumbers } from '../db/references'
import { countOf } from '../db/text/count-of'
import type { Invocation } from './invocation'
import { withOwner } from './operations/owner'
import { dateValue, optionValue } from './option-values'
import { printableLine } from './text/printable'

interface DoctorCommandOptions {
  sensor?: string
  from?: string
}

export function register(program: Command, invocation: Invocation): void {
  program
    .command('doctor')
    .description('name sensors whose counts cannot be trusted, with the evidence and the command that mends them')
    .option('--sensor <sensor>', 'only this sensor, by serial or id', optionValue)
    .option('--from <date>', 'judge the local days from this one on (default: the last 3 days with counts)', dateValue)
    .addHelpText('after', '\n/docs/maintenance has the rules. A run without --sensor and --from is recorded: `status`,')
    .addHelpText('after', '/metrics and GraphQL show what it found.')
    .action(async ({ sensor, from }: DoctorCommandOptions) => {
      const diagnosis = await withOwner(invocation, async ({ pool }) => {
        const [number] = sensor === undefined ? [] : await findNumbers(pool, 'sensors', [sensor])
        const found = await diagnose(pool, { sensor: number, from })
        if (sensor === undefined && from === undefined) await recordDiagnosis(pool, found)
        return found
      })
      invocation.printResult(diagnosis, () => formatDiagnosis(diagnosis))
    })
}

function formatDiagnosis({ rows, not_judged, judged }: Diagnosis): string[] {
  const sensors = new Set(rows.map(({ sensor }) => sensor)).size
  const found = sensors === 0 ? 'no faults were found' : `${sensors} cannot be trusted`
  return [
    judged === 0 ? 'no sensor was judged' : `${countOf(judged, 'sensor was', 'sensors were')} judged: ${found}`,
    ...rows.flatMap(({ sensor, asset_id, fault, from, to, evidence, remedy }) => [
      '',
      printableLine(`${sensor} at ${asset_id}: ${fault.replace('_', ' ')}, ${from === to ? from : `${from} to ${to}`}`),
      `  ${printableLine(evidence)}`,
      `  to mend: ${printableLine(remedy)}`,
    ]),
    ...formatNotJudged(not_judged),
  ]
}

/** Returns a line for each reason, with the number of its sensors; for those without a sensor, the reason alone. */
function formatNotJudged(notJudged: Diagnosis['not_judged']): string[] {
  if (notJudged.length === 0) return []
  const counts = new Map<string, number>()
  for (const { sensor, faults, reason } of notJudged) {
    const line = `${faults.join(', ').replaceAll('_', ' ')}: ${reason}`
    counts.set(line, (counts.get(line) ?? 0) + (sensor === null ? 0 : 1))
  }
  const lines = [...counts].map(
    ([line, number]) => `  ${number > 0 ? `${countOf(number, 'sensor')}, ` : ''}${printableLine(line)}`,
  )
  return ['', 'not judged (--json names the sensors):', ...lines]
}
