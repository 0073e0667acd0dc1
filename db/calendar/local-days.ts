/**
 * Local days: where they begin and end, and where their clock changes. Everything that knows of time zones asks here.
 * Instants are whole seconds since 1970 in UTC; dates are `YYYY-MM-DD`, years 0001 to 9999; offsets are seconds east.
 */
import { LRUCache } from 'lru-cache'
import { Temporal } from 'temporal-polyfill'

/** Dates, both inclusive. */
export type Dates = readonly [from: string, to: string]

/** From the instant `at` on, the zone's clocks stand `offset` seconds ahead of UTC. */
export interface Stretch {
  at: number
  offset: number
}

/**
 * A calendar day of a time zone: the instants from `start` up to, without, `end`. A day that a zone left out (Apia,
 * 2011-12-30) has no length. `stretches` has more than one element where the clock changes within the day.
 */
export interface Day {
  date: string
  start: number
  end: number
  zoneIntervals: readonly [Stretch, ...Stretch[]]
  /** Whether it goes from midnight to midnight in 24 hours by a clock that does not change. */
  regular: boolean
}

const DAY = 86_400

/** Whether `date` is a day of the calendar, as `YYYY-MM-DD`, from 0001-01-01 on. */
export function isDate(date: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(date) || date.startsWith('0000')) return false
  const [month, day] = [Number(date.slice(5, 7)), Number(date.slice(8))]
  const first = dayNumber(`${date.slice(0, 8)}01`)
  return month >= 1 && month <= 12 && day >= 1 && day <= numberOfDay(Number(date.slice(0, 4)), month + 1, 1) - first
}

/** Days since 1970-01-01 of a calendar date (proleptic Gregorian). Months or days out of bounds roll over. */
export function dayNumber(date: string): number {
  return numberOfDay(Number(date.slice(0, 4)), Number(date.slice(5, 7)), Number(date.slice(8, 10)))
}

/** The same from year, month (1-12) and day of the month. */
export function numberOfDay(year: number, month: number, day: number): number {
  // Date.UTC takes years 0 to 99 for 1900 to 1999: go by a year 400 later, when the calendar is the same.
  return Date.UTC(year + 400, month - 1, day) / 86_400_000 - 146_097
}

/** Months since year 0 of a calendar date. */
export const monthNumber = (date: string): number => Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7)) - 1

/** The date of a day number. */
export function dateOf(number: number): string {
  return new Date(number * 86_400_000).toISOString().slice(0, 10)
}

/** Whether the service knows `zone` as an IANA time zone by exactly this name. Fixed offsets like `+01:00` are not zones. */
export function isTimeZone(zone: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+\-/]{0,63}$/.test(zone)) return false
  try {
    return Temporal.PlainDate.from('2000-01-01').toZonedDateTime(zone).timeZoneId === zone
  } catch {
    return false
  }
}

/** The days from `from` to `to`, both inclusive, of a time zone. */
export function daysOf(zone: string, from: string, to: string): Day[] {
  const [first, last] = [dayNumber(from), dayNumber(to)]
  const [firstYear, lastYear] = [Number(from.slice(0, 4)), Number(to.slice(0, 4))]
  let days: Day[] = []
  for (let year = firstYear; year <= lastYear; year++) {
    const january = numberOfDay(year, 1, 1)
    const part = yearOf(zone, year).slice(Math.max(0, first - january), last - january + 1)
    days = days.length === 0 ? part : days.concat(part)
  }
  return days
}

/** Years of zones that were asked for lately: some 60 kB each. */
const years = new LRUCache<string, readonly Day[]>({ max: 400 })

function yearOf(zone: string, year: number): readonly Day[] {
  const key = `${zone} ${year}`
  const known = years.get(key)
  if (known) return known
  const days = daysFrom(zone, numberOfDay(year, 1, 1), numberOfDay(year, 12, 31))
  years.set(key, days)
  return days
}

/** The days from one number to another. */
function daysFrom(zone: string, first: number, last: number): Day[] {
  const days: Day[] = []
  let start = startOfDay(zone, first)
  const clock = stretchesFrom(zone, start, startOfDay(zone, last + 1))
  let next = 0
  let offset = (clock[0] as Stretch).offset
  for (let number = first; number <= last; number++) {
    while (clock[next + 1] && (clock[next + 1] as Stretch).at <= start) next++
    offset = (clock[next] as Stretch).offset
    const change = clock[next + 1]
    const usualEnd = (number + 1) * DAY - offset
    const stretches: [Stretch, ...Stretch[]] = [{ at: start, offset }]
    let end = usualEnd
    // Within a day of a change the end is looked up, for a change may also cut midnight out or repeat it.
    if (change && change.at <= usualEnd) {
      end = startOfDay(zone, number + 1)
      for (let i = next + 1; i < clock.length && (clock[i] as Stretch).at < end; i++)
        stretches.push(clock[i] as Stretch)
    }
    days.push({ date: dateOf(number), start, end, zoneIntervals: stretches, regular: isEven(start, end, stretches) })
    start = end
  }
  return days
}

const isEven = (start: number, end: number, stretches: readonly [Stretch, ...Stretch[]]): boolean =>
  end - start === DAY && stretches.length === 1 && (start + stretches[0].offset) % DAY === 0

/** The day to which an instant belongs. */
export function dayAt(zone: string, instant: number): Day {
  const [{ offset }] = stretchesFrom(zone, instant, instant) as [Stretch]
  const number = Math.floor((instant + offset) / DAY)
  // Where clocks go back across midnight, an instant's own date may be the day before the one it belongs to.
  for (const candidate of [number, number + 1]) {
    const [day] = daysOf(zone, dateOf(candidate), dateOf(candidate)) as [Day]
    if (instant >= day.start && instant < day.end) return day
  }
  throw new RangeError(`no day of ${zone} holds ${instant}`)
}

/** Seconds from the start of `day` at which its intervals of `minutes` begin (1, 15 or 60; an hour is a clock hour). */
export function startsOf(day: Day, minutes: number): number[] {
  if (minutes === 60) return hourStarts(day)
  const starts: number[] = []
  for (let second = 0; second < day.end - day.start; second += minutes * 60) starts.push(second)
  return starts
}

/** How many intervals of `minutes` the day has. */
export function intervalsOf(day: Day, minutes: number): number {
  const length = day.end - day.start
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

/** The first instant of a day. */
function startOfDay(zone: string, number: number): number {
  const date = new Date(number * 86_400_000)
  const plain = new Temporal.PlainDate(date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate())
  return Math.floor(plain.toZonedDateTime(zone).epochMilliseconds / 1000)
}

/** The clock's stretches from one instant to another: the one in force at `from` (told as beginning there), then each change. */
function stretchesFrom(zone: string, from: number, to: number): Stretch[] {
  let at = Temporal.Instant.fromEpochMilliseconds(from * 1000).toZonedDateTimeISO(zone)
  const stretches: Stretch[] = [{ at: from, offset: offsetOf(at) }]
  for (;;) {
    const change = at.getTimeZoneTransition('next')
    if (!change) return stretches
    const instant = change.epochMilliseconds / 1000
    if (instant > to) return stretches
    stretches.push({ at: instant, offset: offsetOf(change) })
    at = change
  }
}

const offsetOf = (at: Temporal.ZonedDateTime): number => Math.round(at.offsetNanoseconds / 1e9)
