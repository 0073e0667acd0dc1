/** Reads ranges of times, of which the start counts: `08:00-09:00`, `0800-0900`, `8:00 – 9:00`, behind a date. */
import type { ReadTime } from './time-tokens'

const TIME = String.raw`(\d{1,2})(?::?(\d{2}))?(?::(\d{2}))?`
const RANGE = new RegExp(`^(.*\\S)[T ]\\s*${TIME}\\s*[-–—]\\s*${TIME}$`)

const DAY = 86_400

/** Returns the time format of the date before a range, `yyyy-MM-dd` by default; undefined if the format is not one of ranges. */
export const rangeDateFormat = (format: string): string | undefined =>
  format === 'range' ? 'yyyy-MM-dd' : /^(.+) range$/.exec(format)?.[1]

/** Returns a reader of the start of ranges, as local time. */
export const rangeReader =
  (readDate: ReadTime): ReadTime =>
  text => {
    const [date = '', time] = splitRange(text) ?? []
    const day = time && readDate(date)
    return day && !day.includes('T') ? `${day}T${time}` : undefined
  }

/** Returns whether a value ends with a range of times. */
export const isRange = (text: string): boolean => splitRange(text) !== undefined

/** Returns the text before a range, and its start. It ends later, at the end of the day at the latest. */
function splitRange(text: string): [date: string, time: string] | undefined {
  const [, date = '', ...parts] = RANGE.exec(text) ?? []
  if (parts.length === 0) return undefined
  const [hour = 0, minute = 0, second = 0, endHour = 0, endMinute = 0, endSecond = 0] = parts.map(part =>
    Number(part ?? 0),
  )
  const start = hour * 3600 + minute * 60 + second
  const end = endHour * 3600 + endMinute * 60 + endSecond || DAY
  const isValid = [minute, second, endMinute, endSecond].every(part => part < 60) && start < end && end <= DAY
  if (!isValid) return undefined
  return [date, [hour, minute, second].map(part => String(part).padStart(2, '0')).join(':')]
}
