/** The sections of the report for operators: storage, imports, starts, installation. */

import type { DailyImports } from '../measure/daily-imports'
import type { Imported } from '../measure/import'
import type { ImportWhileServing } from '../measure/import-while-serving'
import type { Installation } from '../measure/installation'
import type { Startup } from '../measure/startup'
import type { Relation } from '../measure/storage'
import { markdown, short, whole } from './table'

const BYTES_PER_MB = 1e6

export function storageSection(relations: Relation[]): string {
  const days = relations.findIndex(({ name }) => name === 'sensor_days')
  const rows = relations[days]?.rows ?? 0
  const next = relations.findIndex(({ name }, i) => i > days && !name.startsWith('–'))
  const all = relations.slice(days, next < 0 ? undefined : next).reduce((sum, { bytes }) => sum + bytes, 0)
  const table = markdown(
    ['table, – its indexes', 'rows', 'MB', 'bytes per row'],
    relations.map(({ name, rows, bytes }, i) => {
      const of = rows ?? relations.slice(0, i).findLast(({ rows }) => rows !== null)?.rows
      return [name, rows === null ? '' : whole(rows), short(bytes / BYTES_PER_MB), of ? whole(bytes / of) : undefined]
    }),
  )
  return `A sensor-day takes ${whole(all / rows)} bytes with its indexes.\n\n${table}`
}

export function dailyImportsSection(imports: DailyImports): string {
  const { days, rowsPerDay, states, autovacuumAfterDays, vacuumSeconds } = imports
  const table = markdown(
    ['', 'MB', 'dead rows', 'inserted since a vacuum', 'heap fetches', 'ms'],
    states.map(each => [
      ...[each.when, short(each.megabytes), whole(each.deadRows), whole(each.insertedSinceVacuum)],
      ...[short(each.heapFetches, 2), short(each.milliseconds, 2)],
    ]),
  )
  return [
    `${days} imports, one for each day, bring ${whole(rowsPerDay)} minutes each and a late minute of every sensor for the previous day.`,
    'Afterwards the totals of the newest 30 days of each asset are read in an index-only scan: heap fetches and milliseconds per asset.',
    `If all sensors kept counting, autovacuum would process the table after ${short(autovacuumAfterDays, 2)} days. A vacuum took ${short(vacuumSeconds, 2)} s.`,
    `\n${table}`,
  ].join('\n')
}

export function importSection(imported: readonly Imported[], serving: ImportWhileServing | undefined): string {
  const table = markdown(
    ['file', 'rows', 'seconds', 'rows/s', 'peak MB'],
    imported.map(({ name, rows, seconds, megabytes }) => [
      ...[name, whole(rows), short(seconds), whole(rows / seconds), whole(megabytes)],
    ]),
  )
  if (!serving) return table
  const { rows, seconds, before, during } = serving
  const servingTable = markdown(
    ['the service', 'responses/s', 'p50 ms', 'p99 ms'],
    [
      ['before the import', short(before.rate), short(before.p50), short(before.p99)],
      ['during the import', short(during.rate), short(during.p50), short(during.p99)],
    ],
  )
  const ratio = during.p99 / before.p99
  const verdict = `${ratio.toFixed(1)} times the p99 before (${ratio <= 2 ? 'met' : 'missed'}: at most 2)`
  return `${table}\n\nWhile the service runs: ${whole(rows)} rows in ${short(seconds)} s, ${verdict}.\n\n${servingTable}`
}

export function startupSection(startups: readonly Startup[], memory: { started: number; loaded: number }): string {
  const table = markdown(
    ['start of `serve` on the embedded database', 'listening after s', 'ready after s', 'MB'],
    startups.map(({ name, listening, ready, memory }) => [name, short(listening), short(ready), whole(memory)]),
  )
  return `${table}\n\nResident memory of the node process: ${whole(memory.started)} MB after the start, ${whole(memory.loaded)} MB after the comparison.`
}

export function installationSection({ seconds, all, production, largest }: Installation): string {
  const table = markdown(
    ['package', 'MB', ''],
    largest.map(({ name, megabytes, production }) => [name, short(megabytes), production ? '' : 'development only']),
  )
  return [
    `\`npm ci\` in a fresh clone took ${short(seconds)} s with a warm npm cache, including the build. It installs ${whole(all)} MB,`,
    `${whole(production)} MB with \`--omit=dev\`.`,
    `\n${table}`,
  ].join('\n')
}
