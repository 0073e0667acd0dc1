/**
 * Local days: their start, end and clock changes, for all code that deals with time zones. Instants are whole seconds since
 * 1970 in UTC. Dates are `YYYY-MM-DD`, years 0001 to 9999. Offsets are seconds east of UTC.
 */
import { LRUCache } from 'lru-cache'
import { NATIVE_MINUTES } from './grains'
import type { ZoneInterval, ZoneRules } from './zone-rules'

/** Dates, both inclusive. */
export type Dates = readonly [from: string, to: string]

/**
 * A calendar day of a time zone: the instants from `start` up to `end`, which is exclusive. A day that a zone skipped (Apia,
 * 2011-12-30) has no length. There is more than one zone interval where the clock changes within the day.
 */
export interface Day {
  zone: string
  date: string
  /** Days since 1970-01-01. */
  number: number
  start: number
  end: number
  zoneIntervals: readonly [ZoneInterval, ...ZoneInterval[]]
  /** Whether every time of it exists exactly once: it has 24 hours, from midnight to midnight, of which a clock change repeats none. */
  regular: boolean
}

export const DAY = 86_400

/** Returns whether `date` is a day of the calendar, as `YYYY-MM-DD`, from 0001-01-01 on. */
export const isDate = (date: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(date) && !date.startsWith('0000') && dateOf(dayNumber(date)) === date

/**
 * Returns the days since 1970-01-01 of a calendar date (proleptic Gregorian). Months or days out of bounds roll over.
 */
export function dayNumber(date: string): number {
  return numberOfDay(Number(date.slice(0, 4)), Number(date.slice(5, 7)), Number(date.slice(8, 10)))
}

/** Returns the day number of a year, month (1-12) and day of the month. */
export function numberOfDay(year: number, month: number, day: number): number {
  // Date.UTC maps years 0 to 99 to 1900 to 1999. The calendar repeats every 400 years.
  return Date.UTC(year + 400, month - 1, day) / 86_400_000 - 146_097
}

/** Returns the months from year 0 to a calendar date. */
export const monthNumber = (date: string): number => Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7)) - 1

export function dateOf(number: number): string {
  return new Date(number * 86_400_000).toISOString().slice(0, 10)
}

/** Returns the weekday of a day number, from 1, Monday, as ISO 8601 numbers them: 1970-01-01 was a Thursday. */
export const weekdayOf = (number: number): number => ((((number + 3) % 7) + 7) % 7) + 1

/** Returns the days from `from` to `to`, both inclusive, of a time zone. */
export function listDays(rules: ZoneRules, from: string, to: string): Day[] {
  const [first, last] = [dayNumber(from), dayNumber(to)]
  const [firstYear, lastYear] = [Number(from.slice(0, 4)), Number(to.slice(0, 4))]
  let days: Day[] = []
  for (let year = firstYear; year <= lastYear; year++) {
    const january = numberOfDay(year, 1, 1)
    const part = loadYear(rules, year).slice(Math.max(0, first - january), last - january + 1)
    days = days.length === 0 ? part : days.concat(part)
  }
  return days
}

/** Returns the day of a time zone by its number. */
export function dayOf(rules: ZoneRules, number: number): Day {
  const year = new Date(number * 86_400_000).getUTCFullYear()
  return loadYear(rules, year)[number - numberOfDay(year, 1, 1)]!
}

/** Recently used years of zones, about 60 kB each. */
const years = new LRUCache<string, readonly Day[]>({ max: 400 })

function loadYear(rules: ZoneRules, year: number): readonly Day[] {
  const key = `${rules.key} ${year}`
  const cached = years.get(key)
  if (cached) return cached
  const days = daysFrom(rules, numberOfDay(year, 1, 1), numberOfDay(year, 12, 31))
  years.set(key, days)
  return days
}

/** Returns the days from one day number to another, both inclusive. */
function daysFrom(rules: ZoneRules, first: number, last: number): Day[] {
  const days: Day[] = []
  let start = rules.startOfDay(first)
  const intervals = rules.intervals(start, rules.startOfDay(last + 2))
  let current = 0
  // The day after the last one shows whether it repeats a part of that.
  for (let number = first; number <= last + 1; number++) {
    while (intervals[current + 1] && intervals[current + 1]!.at <= start) current++
    const { offset } = intervals[current]!
    const change = intervals[current + 1]
    const ofDay: [ZoneInterval, ...ZoneInterval[]] = [{ at: start, offset }]
    let end = (number + 1) * DAY - offset
    // A clock change may also skip or repeat midnight: where one is near, look the end up.
    if (change && change.at <= end) {
      end = rules.startOfDay(number + 1)
      for (const interval of intervals.slice(current + 1)) if (interval.at < end) ofDay.push(interval)
    }
    const { zone } = rules
    days.push({ zone, date: dateOf(number), number, start, end, zoneIntervals: ofDay, regular: false })
    start = end
  }
  return days.slice(0, -1).map((day, i) => ({ ...day, regular: isRegular(day, days[i + 1]!) }))
}

/** When clocks are set back across midnight, the repeated end of a date belongs to the next day. */
const isRegular = ({ start, end, zoneIntervals: [first, ...others] }: Day, next: Day): boolean =>
  end - start === DAY &&
  others.length === 0 &&
  (start + first.offset) % DAY === 0 &&
  next.zoneIntervals.slice(1).every(({ at, offset }) => at + offset >= next.number * DAY)

/** Returns the day that contains an instant. */
export function dayAt(rules: ZoneRules, instant: number): Day {
  const number = Math.floor((instant + rules.offsetAt(instant)) / DAY)
  // The repeated end of a date belongs to the next day.
  for (const candidate of [number, number + 1]) {
    const day = dayOf(rules, candidate)
    if (instant >= day.start && instant < day.end) return day
  }
  throw new RangeError(`no day of ${rules.zone} contains ${instant}`)
}

const ofRegularDays = new Map<number, readonly number[]>()

/**
 * Returns the seconds from the start of a day to the start of each interval of `minutes` (1, 15, 60 or 1440; an hour is
 * a clock hour, and a day a local day). Regular days share one list.
 */
export function listStarts(day: Day, minutes: number): readonly number[] {
  if (!day.regular) return computeStarts(day, minutes)
  const starts = ofRegularDays.get(minutes) ?? computeStarts(day, minutes)
  ofRegularDays.set(minutes, starts)
  return starts
}

function computeStarts(day: Day, minutes: number): number[] {
  if (minutes === NATIVE_MINUTES.day) return day.end > day.start ? [0] : []
  if (minutes === 60) return hourStarts(day)
  const starts: number[] = []
  for (let second = 0; second < day.end - day.start; second += minutes * 60) starts.push(second)
  return starts
}

export function countIntervals(day: Day, minutes: number): number {
  const length = day.end - day.start
  if (minutes === NATIVE_MINUTES.day) return length > 0 ? 1 : 0
  if (minutes !== 60) return Math.ceil(length / (minutes * 60))
  return day.regular ? 24 : hourStarts(day).length
}

/** Hours begin at the day's start, at every whole local hour, and at a clock change. */
function hourStarts(day: Day): number[] {
  const starts: number[] = []
  day.zoneIntervals.forEach(({ at, offset }, i) => {
    const end = day.zoneIntervals[i + 1]?.at ?? day.end
    for (let instant = at; instant < end; instant = (Math.floor((instant + offset) / 3600) + 1) * 3600 - offset) {
      starts.push(instant - day.start)
    }
  })
  return starts
}

export function intervalEnd(day: Day, starts: readonly number[], interval: number): number {
  const next = starts[interval + 1]
  return next === undefined ? day.end : day.start + next
}
