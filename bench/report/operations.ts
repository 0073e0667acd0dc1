/** What concerns the operator, as tables: storage, imports, starts, the installation. */

import type { Imported } from '../measure/import'
import type { ImportWhileServing } from '../measure/import-while-serving'
import type { Installation, Start } from '../measure/startup'
import type { DailyImports, Relation } from '../measure/storage'
import { markdown, short, whole } from './table'

const MEGA = 1e6

export function storageSection(relations: Relation[]): string {
  const days = relations.findIndex(({ name }) => name === 'sensor_days')
  const rows = relations[days]?.rows ?? 0
  const next = relations.findIndex(({ name }, i) => i > days && !name.startsWith('–'))
  const all = relations.slice(days, next < 0 ? undefined : next).reduce((sum, { bytes }) => sum + bytes, 0)
  const table = markdown(
    ['table, – its indexes', 'rows', 'MB', 'bytes a row'],
    relations.map(({ name, rows, bytes }, i) => {
      const of = rows ?? relations.slice(0, i).findLast(({ rows }) => rows !== null)?.rows
      return [name, rows === null ? '' : whole(rows), short(bytes / MEGA), of ? whole(bytes / of) : undefined]
    }),
  )
  return `A sensor-day takes ${whole(all / rows)} bytes with its indexes.\n\n${table}`
}

export function dailySection({ days, rowsADay, standings, autovacuumAfterDays, vacuumSeconds }: DailyImports): string {
  const table = markdown(
    ['', 'MB', 'dead rows', 'inserted since a vacuum', 'heap fetches', 'ms'],
    standings.map(each => [
      ...[each.when, short(each.megabytes), whole(each.dead), whole(each.insertedSinceVacuum)],
      ...[short(each.heapFetches, 2), short(each.milliseconds, 2)],
    ]),
  )
  return [
    `${days} days come in, one import a day of ${whole(rowsADay)} minutes, each with a late minute of every sensor for the day`,
    'before. Then the totals of the newest 30 days of each asset are read from the index: heap fetches and milliseconds an asset.',
    `Were it all sensors, autovacuum would come by itself after ${short(autovacuumAfterDays, 2)} days; a vacuum took ${short(vacuumSeconds, 2)} s.`,
    `\n${table}`,
  ].join('\n')
}

export function importSection(imported: readonly Imported[], serving: ImportWhileServing | undefined): string {
  const table = markdown(
    ['file', 'rows', 'seconds', 'rows/s', 'MB at most'],
    imported.map(({ what, rows, seconds, megabytes }) => [
      ...[what, whole(rows), short(seconds), whole(rows / seconds), whole(megabytes)],
    ]),
  )
  if (!serving) return table
  const { rows, seconds, before, during } = serving
  const beside = markdown(
    ['while it answers', 'answers/s', 'p50 ms', 'p99 ms'],
    [
      ['before the import', short(before.rate), short(before.p50), short(before.p99)],
      ['during the import', short(during.rate), short(during.p50), short(during.p99)],
    ],
  )
  const ratio = during.p99 / before.p99
  const verdict = `p99 times ${ratio.toFixed(1)}: ${ratio <= 2 ? 'met' : 'missed'} (aim: at most doubled)`
  return `${table}\n\nBeside the service, ${whole(rows)} rows in ${short(seconds)} s; ${verdict}.\n\n${beside}`
}

export function startSection(starts: readonly Start[], memory: { started: number; loaded: number }): string {
  const table = markdown(
    ['start of `serve` on the embedded database', 'listens after s', 'answers after s', 'MB'],
    starts.map(({ what, listening, answering, memory }) => [what, short(listening), short(answering), whole(memory)]),
  )
  return `${table}\n\nResident memory of the node process: ${whole(memory.started)} MB when warm, ${whole(memory.loaded)} MB after all of the comparison.`
}

export function installationSection({ seconds, all, production, largest }: Installation): string {
  const table = markdown(
    ['package', 'MB', ''],
    largest.map(({ name, megabytes, production }) => [name, short(megabytes), production ? '' : 'development only']),
  )
  return [
    `\`npm ci\` in a fresh clone, with npm's cache warm, took ${short(seconds)} s, building included: ${whole(all)} MB, of which`,
    `${whole(production)} MB remain with \`--omit=dev\`.`,
    `\n${table}`,
  ].join('\n')
}
