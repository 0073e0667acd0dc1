/** Parses timestamps of ISO 8601: date and time of day, with an offset from UTC or in local time. */
import { numberOfDay } from './local-days'

const BLANK = ' '.charCodeAt(0)
const ZERO = '0'.charCodeAt(0)
const COLON = ':'.charCodeAt(0)
const DASH = '-'.charCodeAt(0)
const PLUS = '+'.charCodeAt(0)
const DOT = '.'.charCodeAt(0)
const UPPER_Z = 'Z'.charCodeAt(0)
const LOWER_Z = 'z'.charCodeAt(0)

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

  /** The date parsed last, as YYYYMMDD: most rows have the date of the row before. */
  private lastDate = 0
  private lastDay = 0

  /** @returns whether `text` is a timestamp */
  parse(text: string): boolean {
    const length = text.length
    if (length < 16 || length > 40) return false
    if (text.charCodeAt(4) !== DASH || text.charCodeAt(7) !== DASH || text.charCodeAt(13) !== COLON) return false
    if (!'T t'.includes(text.charAt(10))) return false
    const hour = twoDigits(text, 11)
    const minute = twoDigits(text, 14)
    if (!(hour <= 24 && minute < 60) || !this.parseDate(text)) return false
    this.second = hour * 3600 + minute * 60
    this.millisecond = 0
    let end = 16
    if (text.charCodeAt(end) === COLON) {
      const second = twoDigits(text, 17)
      if (!(second < 60)) return false
      this.second += second
      end = 19
      if (text.charCodeAt(end) === DOT) {
        end = this.parseFraction(text, end + 1)
        if (end < 0) return false
      }
    }
    this.offset = undefined
    if (hour === 24 && (this.second > 86_400 || this.millisecond > 0)) return false
    return end === length || this.parseOffset(text, text.charCodeAt(end) === BLANK ? end + 1 : end)
  }

  private parseDate(text: string): boolean {
    const year = twoDigits(text, 0) * 100 + twoDigits(text, 2)
    const month = twoDigits(text, 5)
    const day = twoDigits(text, 8)
    const date = year * 10_000 + month * 100 + day
    if (date !== this.lastDate) {
      if (!(year >= 1 && month >= 1 && month <= 12 && day >= 1)) return false
      const number = numberOfDay(year, month, day)
      if (number >= numberOfDay(month === 12 ? year + 1 : year, (month % 12) + 1, 1)) return false
      this.lastDate = date
      this.lastDay = number
    }
    this.day = this.lastDay
    return true
  }

  /** @returns the index behind the fraction; -1 for an invalid one */
  private parseFraction(text: string, start: number): number {
    let end = start
    let scale = 100
    let isZero = true
    for (; end < text.length; end++) {
      const digit = text.charCodeAt(end) - ZERO
      if (!(digit >= 0 && digit <= 9)) break
      if (digit > 0) isZero = false
      this.millisecond += digit * scale
      scale = Math.floor(scale / 10)
    }
    if (!isZero && this.millisecond === 0) this.millisecond = 1
    return end === start || end - start > 9 ? -1 : end
  }

  private parseOffset(text: string, start: number): boolean {
    const sign = text.charCodeAt(start)
    if (sign === UPPER_Z || sign === LOWER_Z) {
      this.offset = 0
      return start + 1 === text.length
    }
    if (sign !== PLUS && sign !== DASH) return false
    const minuteStart = text.charCodeAt(start + 3) === COLON ? start + 4 : start + 3
    const hasMinutes = start + 3 !== text.length
    if (hasMinutes && minuteStart + 2 !== text.length) return false
    const hours = twoDigits(text, start + 1)
    const minutes = hasMinutes ? twoDigits(text, minuteStart) : 0
    if (!(hours < 24 && minutes < 60)) return false
    const seconds = hours * 3600 + minutes * 60
    this.offset = sign === PLUS ? seconds : -seconds
    return true
  }
}

/** Returns two digits as a number; NaN for anything else. */
function twoDigits(text: string, start: number): number {
  const tens = text.charCodeAt(start) - ZERO
  const ones = text.charCodeAt(start + 1) - ZERO
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN
}
