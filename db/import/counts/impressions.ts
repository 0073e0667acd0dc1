/** Imports impressions: one row for each sensor and native interval. */
import type { ClientBase } from 'pg'
import { MAX_COUNT, MISSING } from '../../calendar/packed-counts'
import type { RowCounter } from '../row-counter'
import type { RowSink } from '../row-sink'
import type { BufferedDay } from './count-buffer'
import { CountImporter } from './count-importer'
import type { CountOptions } from './count-options'
import { loadSensors } from './installations'
import { IntervalFinder } from './interval-finder'

export const IMPRESSION_COLUMNS = ['sensor', 'start', 'impressions'] as const

export async function openImpressions(
  client: ClientBase,
  columns: readonly string[],
  counter: RowCounter,
  options: CountOptions,
): Promise<RowSink> {
  const [sensor, start, impressions] = IMPRESSION_COLUMNS.map(name => columns.indexOf(name)) as [number, number, number]
  const importer = new CountImporter(client, counter, options)
  const finder = new IntervalFinder(importer, await loadSensors(client))
  return {
    add(values, line) {
      const reason = finder.find(values[sensor] as string, values[start] as string)
      if (reason) return reason
      const count = parseCount(values[impressions] as string)
      if (Number.isNaN(count)) return `impressions is not a whole number from 0 to ${MAX_COUNT}`
      importer.add(finder.day as BufferedDay, finder.interval, count, line)
      return undefined
    },
    flushIfFull: () => importer.flushIfFull(),
    validate: () => importer.validate(),
    store: () => importer.store(),
  }
}

/** MISSING for an empty value; NaN for anything but a count. */
function parseCount(text: string): number {
  if (text === '') return MISSING
  if (text.length > 10) return Number.NaN
  let count = 0
  for (let i = 0; i < text.length; i++) {
    const digit = text.charCodeAt(i) - 48
    if (!(digit >= 0 && digit <= 9)) return Number.NaN
    count = count * 10 + digit
  }
  return count <= MAX_COUNT ? count : Number.NaN
}
