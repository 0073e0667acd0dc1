/** The sections of the report for operators: storage, imports, starts. */

import type { Imported } from '../measure/import'
import type { ImportWhileServing } from '../measure/import-while-serving'
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
