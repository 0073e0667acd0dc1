/** Parses timestamps of ISO 8601: date and time of day, with an offset from UTC or in local time. */
import { dayNumber, isDate } from './local-days'

const TIMESTAMP =
  /^(\d{4}-\d\d-\d\d)[Tt ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(?: ?(?:([Zz])|([+-])(\d\d)(?::?(\d\d))?))?$/

/**
 * Parses `YYYY-MM-DD[T ]HH:MM[:SS[.fraction]]`, followed by nothing or, also behind a blank, `Z`, `±HH` or `±HH[:]MM`. 24:00 is
 * the end of the day. The result is in the fields of the parser: a file has millions of timestamps, and most need no object of
 * their own.
 */
export class TimestampParser {
  /** The day as written, in days since 1970-01-01. */
  day = 0
  /** Second of that day; 86,400 for its end. */
  second = 0
  /** 1 at least where the fraction is not zero. */
  millisecond = 0
  /** Seconds east of UTC; undefined for local time. */
  offset: number | undefined

  /** The date parsed last: most rows have the date of the row before. */
  private lastDate = ''
  private lastDay = 0

  /** @returns whether `text` is a timestamp */
  parse(text: string): boolean {
    const [, date, hour, minute, second = 0, fraction = '', utc, sign, hours = 0, minutes = 0] =
      TIMESTAMP.exec(text) ?? []
    if (date === undefined) return false
    if (date !== this.lastDate) {
      if (!isDate(date)) return false
      this.lastDate = date
      this.lastDay = dayNumber(date)
    }
    this.day = this.lastDay
    this.second = Number(hour) * 3600 + Number(minute) * 60 + Number(second)
    this.millisecond = /[1-9]/.test(fraction) ? Math.max(1, Number(fraction.slice(0, 3).padEnd(3, '0'))) : 0
    const offset = Number(hours) * 3600 + Number(minutes) * 60
    this.offset = utc ? 0 : sign ? (sign === '+' ? offset : -offset) : undefined
    const isInDay = this.second + this.millisecond / 1000 <= 86_400
    return isInDay && [minute, second, minutes].every(part => Number(part) < 60) && Number(hours) < 24
  }
}
