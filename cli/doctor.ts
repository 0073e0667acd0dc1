/** `partner-metrics doctor`: names sensors whose counts cannot be trusted, with evidence and remedy. */
import type { Command } from 'commander'
import { countOf } from '../db/count-of'
import { type Diagnosis, diagnose, type FoundFault } from '../db/doctor/doctor'
import { findNumbers } from '../db/references'
import type { Invocation } from './invocation'
import { withOwner } from './operations/owner'
import { dateValue, optionValue } from './option-values'
import { printableLine } from './text/printable'

export function register(program: Command, invocation: Invocation): void {
  program
    .command('doctor')
    .description(
      'name sensors that are silent or whose counts cannot be trusted, with the evidence and the command that mends them',
    )
    .option('--sensor <sensor>', 'only this sensor, by serial or id', optionValue)
    .option('--from <date>', 'judge the local days from this one on (default: the last 3 days with counts)', dateValue)
    .addHelpText('after', '\n/docs/maintenance has the rules.')
    .action(async ({ sensor, from }: { sensor?: string; from?: string }) => {
      const diagnosis = await withOwner(invocation, async ({ pool }) => {
        const [number] = sensor === undefined ? [] : await findNumbers(pool, 'sensors', [sensor])
        return diagnose(pool, { sensor: number, from })
      })
      invocation.printResult(diagnosis, () => formatDiagnosis(diagnosis))
    })
}

function formatDiagnosis({ rows, not_judged, judged }: Diagnosis): string[] {
  const count = (isCounted: (row: FoundFault) => boolean) => new Set(rows.filter(isCounted).map(row => row.sensor)).size
  const untrusted = count(({ fault }) => fault !== 'silent')
  const silent = count(({ fault }) => fault === 'silent')
  const found = [
    ...(untrusted > 0 ? [`${untrusted} cannot be trusted`] : []),
    ...(silent > 0 ? [`${silent} ${silent === 1 ? 'is' : 'are'} silent`] : []),
  ]
  return [
    judged === 0
      ? 'no sensor was judged'
      : `${countOf(judged, 'sensor was', 'sensors were')} judged: ${found.join(', ') || 'no faults were found'}`,
    ...[...groupAlike(rows)].flatMap(([alike, sensors]) => ['', ...sensors, alike]),
    ...formatNotJudged(not_judged),
  ]
}

/** Returns the lines of sensors by what is said of them: those of a vendor that is silent are mended together. */
function groupAlike(rows: readonly FoundFault[]): Map<string, string[]> {
  const groups = new Map<string, string[]>()
  for (const { sensor, asset_id, fault, from, to, evidence, remedy } of rows) {
    const days = from === to ? from : `${from} to ${to}`
    const alike = `  ${printableLine(evidence)}\n  to mend: ${printableLine(remedy)}`
    const lines = groups.get(alike) ?? []
    groups.set(alike, lines)
    lines.push(printableLine(`${sensor} at ${asset_id}: ${fault.replace('_', ' ')}, ${days}`))
  }
  return groups
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
