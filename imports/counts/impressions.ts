/** Imports impressions: one row for each sensor and native interval, or for each part of one. */
import type { ClientBase } from 'pg'
import { MAX_COUNT, MISSING } from '../../db/calendar/packed-counts'
import { quote } from '../../db/file-errors'
import { loadLocalDays } from '../../db/zones/rules-in-force'
import { describeUnread } from '../csv/values'
import type { RowCounter } from '../row-counter'
import type { RowSink } from '../row-sink'
import { INVALID } from './count-buffer'
import { CountImporter } from './count-importer'
import type { CountOptions } from './count-options'
import { ExtendedBounds } from './extended-bounds'
import { loadSensors } from './installations'
import { IntervalFinder } from './intervals/interval-finder'
import { addRepeatedRows } from './intervals/repeated-rows'
import { RowSpacing } from './spacing/row-spacing'

export const IMPRESSION_COLUMNS = ['sensor', 'start', 'impressions'] as const

const invalidReason = (text: string): string =>
  `impressions is not a whole number from 0 to ${MAX_COUNT}: ${quote(text)}${describeUnread('impressions', text)}`

export async function openImpressions(
  client: ClientBase,
  columns: readonly string[],
  counter: RowCounter,
  options: CountOptions,
): Promise<RowSink> {
  const [sensor, start, impressions] = IMPRESSION_COLUMNS.map(name => columns.indexOf(name)) as [number, number, number]
  const sensors = await loadSensors(client)
  const bounds = options.extendInstallations ? new ExtendedBounds(sensors.values()) : undefined
  const days = await loadLocalDays(client, options.timeZone)
  const spacing = options.interval ? undefined : new RowSpacing(sensors, days, options)
  const importer = new CountImporter(client, days, counter, options, bounds, spacing)
  const finder = new IntervalFinder(importer, sensors)
  return {
    add(values, line) {
      const place = finder.find(values[sensor]!, values[start]!)
      if (place.kind === 'faulty') return place.reason
      const count = parseCount(values[impressions]!)
      if (place.kind === 'interval') importer.add(place.day, place.interval, count, line)
      else if (place.kind === 'repeated') finder.repeatedHours.add(place.rows, { second: place.second, count, line })
      else if (count !== INVALID) return importer.leaveOut(place.kind, count) ? undefined : place.reason
      return count === INVALID ? invalidReason(values[impressions]!) : undefined
    },
    flushIfFull: () => importer.flushIfFull(),
    validate: async () => {
      await addRepeatedRows(finder, importer, counter)
      await importer.validate()
    },
    store: () => importer.store(),
  }
}

/** Returns MISSING for an empty value; INVALID for anything but a count. */
function parseCount(text: string): number {
  if (text === '') return MISSING
  return /^\d{1,10}$/.test(text) && Number(text) <= MAX_COUNT ? Number(text) : INVALID
}
