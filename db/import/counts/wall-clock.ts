/** Reads time stamps: a date and time of day, with an offset from UTC or as a wall clock shows it. */
import { numberOfDay } from '../../calendar/local-days'
import { codesOf } from '../../postgres/character-codes'

const [ZERO, NINE, COLON, DASH, PLUS, DOT, SPACE] = codesOf('0', '9', ':', '-', '+', '.', ' ')

/**
 * The last time stamp that was read; kept and read into again, since files have millions of them. Forms:
 * `YYYY-MM-DD[T ]HH:MM[:SS[.fraction]]`, then nothing, `Z` or `±HH[:]MM`.
 */
export class WallClock {
  /** Number of the day (calendar.ts) that was written. */
  day = 0
  /** Second of that day. */
  second = 0
  /** Thousandths of a second; 1 at least where there is any fraction. */
  millis = 0
  /** Seconds east of UTC; undefined where none was written. */
  offset: number | undefined

  private lastDate = 0
  private lastDay = 0

  /** False when `text` is no time stamp. */
  read(text: string): boolean {
    const length = text.length
    if (length < 16 || length > 40) return false
    if (text.charCodeAt(4) !== DASH || text.charCodeAt(7) !== DASH || text.charCodeAt(13) !== COLON) return false
    const between = text.charCodeAt(10)
    if (between !== 84 && between !== SPACE && between !== 116) return false
    const hour = two(text, 11)
    const minute = two(text, 14)
    if (!(hour < 24 && minute < 60) || !this.readDate(text)) return false
    this.second = hour * 3600 + minute * 60
    this.millis = 0
    let at = 16
    if (text.charCodeAt(at) === COLON) {
      const second = two(text, 17)
      if (!(second < 60)) return false
      this.second += second
      at = 19
      if (text.charCodeAt(at) === DOT) {
        at = this.readFraction(text, at + 1)
        if (at < 0) return false
      }
    }
    this.offset = undefined
    return at === length || this.readOffset(text, at)
  }

  private readDate(text: string): boolean {
    const year = two(text, 0) * 100 + two(text, 2)
    const month = two(text, 5)
    const day = two(text, 8)
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

  private readFraction(text: string, from: number): number {
    let at = from
    let scale = 100
    let any = false
    for (; at < text.length; at++) {
      const digit = text.charCodeAt(at) - ZERO
      if (!(digit >= 0 && digit <= 9)) break
      if (digit > 0) any = true
      this.millis += digit * scale
      scale = Math.floor(scale / 10)
    }
    if (any && this.millis === 0) this.millis = 1
    return at === from || at - from > 9 ? -1 : at
  }

  private readOffset(text: string, at: number): boolean {
    const sign = text.charCodeAt(at)
    if (sign === 90 || sign === 122) {
      this.offset = 0
      return at + 1 === text.length
    }
    if (sign !== PLUS && sign !== DASH) return false
    const minutes = text.charCodeAt(at + 3) === COLON ? at + 4 : at + 3
    if (minutes + 2 !== text.length) return false
    const seconds = two(text, at + 1) * 3600 + two(text, minutes) * 60
    if (!(two(text, at + 1) < 24 && two(text, minutes) < 60)) return false
    this.offset = sign === PLUS ? seconds : -seconds
    return true
  }
}

/** Two digits as a number; NaN where they are not. */
function two(text: string, at: number): number {
  const tens = text.charCodeAt(at)
  const ones = text.charCodeAt(at + 1)
  return tens >= ZERO && tens <= NINE && ones >= ZERO && ones <= NINE ? (tens - ZERO) * 10 + ones - ZERO : Number.NaN
}
