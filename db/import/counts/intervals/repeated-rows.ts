/** Adds the rows of repeated hours, after the whole file was read, to the pass of the hour to which they belong. */
import { MISSING } from '../../../calendar/packed-counts'
import type { RowCounter } from '../../row-counter'
import { type BufferedDay, HALF, INVALID } from '../count-buffer'
import type { CountImporter } from '../count-importer'
import type { IntervalFinder, SensorState } from './interval-finder'
import type { Pass, RepeatedRow } from './repeated-hours'

export async function addRepeatedRows(
  finder: IntervalFinder,
  importer: CountImporter,
  counter: RowCounter,
): Promise<void> {
  for (const { state, row, pass, instants } of finder.repeatedRows()) {
    const reason = addRow(finder, importer, state, row, pass, instants)
    if (reason !== undefined) counter.reject({ line: row.line, reason })
    await importer.flushIfFull()
  }
}

interface Interval {
  day: BufferedDay
  interval: number
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
  if (importer.isSilent(count)) {
    importer.unchanged++
    return undefined
  }
  const isFaulty = typeof pass === 'object'
  const intervals: Interval[] = []
  for (const instant of isFaulty || pass === 'both' ? instants : [instants[pass === 'first' ? 0 : 1] as number]) {
    const place = finder.findAt(state, instant)
    if (place === 'found') intervals.push({ day: finder.day as BufferedDay, interval: finder.interval })
    else if (count === INVALID) continue
    else if (!isFaulty) return count === MISSING && place === 'outside' ? void importer.unchanged++ : finder.reason
  }
  if (isFaulty) {
    for (const { day, interval } of intervals) importer.add(day, interval, INVALID, line)
    return count === INVALID ? undefined : pass.reason
  }
  const halves = intervals.length === 2 && count > 0 ? [Math.ceil(count / 2), Math.floor(count / 2)] : [count, count]
  intervals.forEach(({ day, interval }, i) => {
    importer.add(day, i === 1 && count !== INVALID ? interval + HALF : interval, halves[i] as number, line)
  })
  return undefined
}
