/**
 * Finds the well-known time format that reads every time of a file, each as the other options do where these read it, and in
 * order. Nothing is found if times were read before the first one that was not: they are not known any more.
 */
import { dayNumber, isDate } from '../../../db/calendar/local-days'
import { TimestampParser } from '../../../db/calendar/timestamp-parser'
import type { CountOptions } from '../../counts/count-options'
import { RowValues, VALUE_TYPES, type ValueOptions } from '../values'
import { KNOWN_FORMATS } from './known-formats'
import { hasTime } from './time-format'

/** Series whose order is checked: a file with more of them gets no proposal. */
const MAX_SERIES = 100_000

const HOUR = 3600

export type TimeOptions = ValueOptions & Pick<CountOptions, 'stamps'>

/** A format that has read every time so far. */
interface TimeCandidate {
  format: string
  values: RowValues
  /** The last time of each series, in seconds. */
  last: Map<string, number>
  /** Steps from one time to the next. */
  forward: number
  back: number
  /** Steps of an hour or more. A clock that is set back makes shorter ones. */
  farForward: number
  farBack: number
  hasMidnight: boolean
  /** Differs for formats that read a time differently. */
  hash: number
}

export class TimeHints {
  /** Whether a time was not read. */
  isStarted = false
  /** Whether a time was read before. */
  hasRead = false
  private candidates: readonly TimeCandidate[] = []
  private readonly parser = new TimestampParser()

  constructor(
    private readonly columns: readonly string[],
    private readonly options: TimeOptions,
    private readonly values: RowValues,
  ) {}

  /** Returns whether the given options read a time. */
  isRead = (column: number, text: string): boolean =>
    this.seconds(column, this.values.readValue(column, text)) !== undefined

  /** @param key of the series, which is checked to be in order */
  add(column: number, raw: string, key: string): void {
    const text = raw.trim()
    if (text === '' || this.options.missing?.includes(text)) return
    const read = this.seconds(column, this.values.readValue(column, text))
    if (!this.isStarted) {
      if (read !== undefined) this.hasRead = true
      else {
        this.isStarted = true
        this.candidates = this.hasRead ? [] : this.createCandidates()
      }
    }
    if (!this.isStarted) return
    const series = `${column} ${key}`
    const isGiven = this.options.timeFormat?.length
    const isEnd = this.options.stamps === 'end'
    this.candidates = this.candidates.filter(candidate => {
      const own = this.seconds(column, candidate.values.readValue(column, text), isEnd)
      // Given formats are tried first; a proposed one replaces ISO 8601.
      if (own === undefined ? !isGiven || read === undefined : own !== (read ?? own)) return false
      return follow(candidate, series, own ?? (read as number))
    })
  }

  /** Returns the option that reads every time; none if several do, such as where the order of month and day is open. */
  proposals(): string[] {
    const ordered = this.candidates.filter(isInOrder)
    const [first, ...others] = ordered.filter(({ hash }, i) => i === ordered.findIndex(each => each.hash === hash))
    // If the order of month and day is open, a proposal would be a guess.
    if (!first || others.length > 0) return []
    const also = this.options.timeFormat?.length ? ', given as well,' : ''
    const option = ({ format }: TimeCandidate) => `--time-format ${format === 'range' ? format : `'${format}'`}${also}`
    return first.format.endsWith('range')
      ? [`each time looks like a range: ${option(first)} reads its start`]
      : [`${option(first)} reads every time of the file`]
  }

  private createCandidates(): TimeCandidate[] {
    const { columns, options } = this
    const { timeFormat, intervalNumber } = options
    const isNew = (format: string) => !timeFormat?.includes(format) && !(intervalNumber && hasTime(format))
    return KNOWN_FORMATS.filter(isNew).map(format => ({
      format,
      values: new RowValues(columns, { ...options, timeFormat: [format] }),
      last: new Map(),
      forward: 0,
      back: 0,
      farForward: 0,
      farBack: 0,
      hasMidnight: false,
      hash: 0,
    }))
  }

  /**
   * Returns the seconds since 1970 of a time in ISO 8601, of which a date has none but midnight.
   *
   * @param mayEnd whether it may be 24:00
   */
  private seconds(column: number, time: string | undefined, mayEnd = true): number | undefined {
    if (time === undefined) return undefined
    if (isDate(time)) return dayNumber(time) * 24 * HOUR
    if (!this.parser.parse(time)) return undefined
    const { day, second, offset = 0 } = this.parser
    if (second === 24 * HOUR && !mayEnd) return undefined
    const isDateColumn = VALUE_TYPES[this.columns[column]!] === 'date'
    return isDateColumn && second !== 0 ? undefined : day * 24 * HOUR + second - offset
  }
}

/** Notes the next time of a series. Returns false if there are too many series. */
function follow(candidate: TimeCandidate, series: string, time: number): boolean {
  const { last } = candidate
  const step = time - (last.get(series) ?? time)
  last.set(series, time)
  if (step > 0) candidate.forward++
  if (step < 0) candidate.back++
  if (step >= HOUR) candidate.farForward++
  if (step <= -HOUR) candidate.farBack++
  candidate.hasMidnight ||= time % (24 * HOUR) === 0
  candidate.hash = (candidate.hash * 31 + time) % 1e14
  return last.size <= MAX_SERIES
}

/** Returns whether times ascend or descend. A number alone is an hour only if there is an hour 0: it may count from 1. */
function isInOrder({ format, forward, back, farForward, farBack, hasMidnight }: TimeCandidate): boolean {
  if (/ H+$/.test(format) && !hasMidnight) return false
  return (farBack === 0 && back * 10 <= forward) || (farForward === 0 && forward * 10 <= back)
}
