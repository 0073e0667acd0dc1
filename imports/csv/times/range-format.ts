/** Reads ranges of times: `08:00-09:00`, `0800-0900`, `8:00 to 9:00`, `08:00-08:59`, as columns or behind a date. */
import { DAY } from '../../../db/calendar/local-days'
import type { ReadTime } from './time-tokens'

const TIME = String.raw`(\d{1,2})(?::?(\d{2}))?(?::(\d{2}))?`
const RANGE = new RegExp(`^${TIME}\\s*(?:[-–—]|to)\\s*${TIME}$`)
const BEHIND_DATE = /^(.*\S)[T ]\s*([\d:]+\s*(?:[-–—]|to)\s*[\d:]+)$/

/** Ranges are multiples of this, or a minute: one that is a minute or a second shorter names its last one. */
const FIVE_MINUTES = 300

/** The option for ranges, in words that follow a text that looks like one. */
export const READ_RANGES = "--time-format range reads such times ('TOKENS range' where the date has a form of its own)"

/** Seconds. */
interface Range {
  start: number
  length: number
}

/** Returns the format of the date before a range, `yyyy-MM-dd` by default; undefined if the format has no range. */
export const rangeDateFormat = (format: string): string | undefined =>
  format === 'range' ? 'yyyy-MM-dd' : /^(.+) range$/.exec(format)?.[1]

/** Returns a reader of ranges behind a date, as local time with the length in seconds: `2026-02-10T08:00:00/3600`. */
export const rangeReader =
  (readDate: ReadTime): ReadTime =>
  text => {
    const [, date = '', times = ''] = BEHIND_DATE.exec(text) ?? []
    const range = readRange(times)
    const day = range && readDate(date)
    return day && !day.includes('T') ? `${day}T${writeRange(range)}` : undefined
  }

/** Returns whether a value ends with a range of times. */
export const isRange = (text: string): boolean => readRange(BEHIND_DATE.exec(text)?.[2] ?? '') !== undefined

/** Returns a range as the time and the length by which an import knows it. */
export const writeRange = ({ start, length }: Range): string =>
  `${new Date(start * 1000).toISOString().slice(11, 19)}/${length}`

/** Reads a range of one day, which ends at the end of the day at the latest. */
export function readRange(text: string): Range | undefined {
  const parts = RANGE.exec(text)?.slice(1)
  if (!parts) return undefined
  const [hour = 0, minute = 0, second = 0, ...ends] = parts.map(part => Number(part ?? 0))
  const [endHour = 0, endMinute = 0, endSecond = 0] = ends
  const start = hour * 3600 + minute * 60 + second
  const end = endHour * 3600 + endMinute * 60 + endSecond || DAY
  const isValid = [minute, second, endMinute, endSecond].every(part => part < 60) && start < end && end <= DAY
  if (!isValid) return undefined
  const unnamed = [60, 1].find(last => (end - start + last) % FIVE_MINUTES === 0) ?? 0
  return { start, length: end - start + unnamed }
}
