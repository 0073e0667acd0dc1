/** Imports impressions: one row for each sensor and native interval, or for each part of one. */
import type { ClientBase } from 'pg'
import { MAX_COUNT, MISSING } from '../../db/calendar/packed-counts'
import { quote } from '../../db/file-errors'
import { loadLocalDays } from '../../db/zones/rules-in-force'
import { describeUnread } from '../csv/values'
import type { RowCounter, RowSink } from '../row-sink'
import { INVALID } from './count-buffer'
import { CountImporter } from './count-importer'
import type { CountOptions } from './count-options'
import { ExtendedBounds } from './extended-bounds'
import { loadSensors } from './installations'
import { IntervalFinder, type SensorState } from './intervals/interval-finder'
import type { Pass, RepeatedRow } from './intervals/repeated-hours'
import { SKIPPED } from './intervals/row-place'
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

/** Adds the rows of repeated hours, after the whole file was read, to the pass of the hour to which they belong. */
async function addRepeatedRows(finder: IntervalFinder, importer: CountImporter, counter: RowCounter): Promise<void> {
  if (finder.repeatedHours.size === 0) return
  const hasCopies = await importer.findCopies()
  for (const { state, row, pass, instants } of findPasses(finder, importer.options, hasCopies)) {
    const reason = addRow(finder, importer, state, row, pass, instants)
    if (reason !== undefined) counter.reject({ line: row.line, reason })
    await importer.flushIfFull()
  }
}

interface PassedRow {
  state: SensorState
  row: RepeatedRow
  pass: Pass
  /** The instants of its local time in both passes; one of an end to which the clock was set forward. */
  instants: number[]
}

function* findPasses(
  { repeatedHours, localTimes }: IntervalFinder,
  { repeatedHour }: CountOptions,
  hasCopies: boolean,
): Generator<PassedRow> {
  for (const [state, day, rows] of repeatedHours) {
    const ofFirst = repeatedHour === 'second' ? [...rows.passes('first', hasCopies)] : []
    for (const [i, [row, pass]] of [...rows.passes(repeatedHour, hasCopies)].entries()) {
      const instants = localTimes.listInstants(state.sensor, day, row.second)
      const [first, second] = instants.map(instant => localTimes.shownAt(state.sensor, instant).second)
      // If the file has the hour once, the end of the hour before it is not in the second pass.
      const isBefore = pass === 'second' && ofFirst[i]?.[1] === 'first' && first !== second
      yield { state, row, pass: isBefore || instants.length === 1 ? 'first' : pass, instants }
    }
  }
}

/** @returns the reason why the row is rejected */
function addRow(
  finder: IntervalFinder,
  importer: CountImporter,
  state: SensorState,
  { count, line }: RepeatedRow,
  pass: Pass,
  instants: readonly number[],
): string | undefined {
  const isEnd = instants.length === 1
  if (isEnd && state.endedBefore.has(instants[0]!)) {
    return count === INVALID || importer.leaveOut('skipped', count) ? undefined : SKIPPED.reason
  }
  if (!isEnd && importer.isSilent(count)) {
    importer.unchanged++
    return undefined
  }
  if (typeof pass === 'object') {
    for (const instant of instants) {
      const found = finder.findAt(state, instant)
      if (found.kind === 'interval') importer.add(found.day, found.interval, INVALID, line)
    }
    return count === INVALID ? undefined : pass.reason
  }
  const place = finder.findAt(state, instants[pass === 'first' ? 0 : 1]!)
  if (place.kind === 'interval') importer.add(place.day, place.interval, count, line)
  else if (count === MISSING && place.kind === 'outside') importer.unchanged++
  else if (count !== INVALID) return place.reason
  return undefined
}
