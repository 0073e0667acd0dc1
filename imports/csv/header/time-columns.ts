/** Columns that are times of the row's day, such as 00:00, 12 AM, 0:00-1:00 or 12:00-1:00 AM. */
import { quote } from '../../../db/file-errors'
import { divisor } from '../../counts/spacing/row-gaps'
import type { Cell } from './cells'

const DAY = 1440

/** Minutes since midnight; the length is that of a range. */
interface Time {
  start: number
  length?: number
}

/** An hour of 24 or of 12, with what says which; `certain` is false for digits alone, which may be anything. */
interface Clock {
  minute: number
  half: string | undefined
  certain: boolean
}

/**
 * Returns the names that are times of a day.
 *
 * @param isLoose whether digits alone, such as 0 or 0000, are a time if the first one is midnight
 */
export function findTimes(names: readonly string[], isLoose: boolean): string[] {
  const times = names.filter(name => readTime(name, isLoose))
  const isFromMidnight = times.length > 0 && readTime(times[0]!, isLoose)?.start === 0
  return isFromMidnight ? times : times.filter(name => readTime(name, false))
}

/**
 * Returns the cells of a file with the times of the day across.
 *
 * @param indexes of the columns that are times
 * @param areEnds whether they name the ends of intervals
 * @param refuse throws an error with this reason
 */
export function timeCells(
  names: readonly string[],
  indexes: readonly number[],
  areEnds: boolean,
  refuse: (why: string) => never,
): Cell[] {
  const [first] = indexes
  if (first === undefined)
    return refuse('has no column that is a time: with --across, all others are mapped or ignored')
  // 0, H0 or 0000 is an hour if the first one is midnight: where numbers begin at 1, it may be the first hour or one o'clock.
  const isLoose = !readTime(names[first]!, false) && readTime(names[first]!, true)?.start === 0
  const times = indexes.map(index => {
    const name = names[index]!
    const time = readTime(name, isLoose)
    if (time) return { name, index, ...time }
    return refuse(
      `has the column ${quote(name)}, which is not a time of the day such as 08:00, 8 AM or 08:00-09:00 (--across): ` +
        `map it, or leave it out with --ignore ${quote(name)}`,
    )
  })
  const last = times.at(-1)
  if (areEnds && last?.start === 0 && times.length > 1) last.start = DAY
  for (const [i, { name, start, length }] of times.entries()) {
    const before = times[i - 1]
    if (start === DAY && !areEnds) {
      refuse(`has the column ${quote(name)}: give --stamps end if each time is the end of its interval (--across)`)
    }
    if (areEnds && length !== undefined)
      refuse(`has the range ${quote(name)}, which has a start: leave out --stamps end`)
    if (before && start <= before.start) {
      const end = start === 0 ? '; if each is the end of its interval, give --stamps end' : ''
      refuse(
        `has the column ${quote(name)} behind ${quote(before.name)}: with --across, the times of a day ascend, ` +
          `and each is there once${end}`,
      )
    }
    if (before && length !== before.length) {
      refuse(
        `has the columns ${quote(before.name)} and ${quote(name)}, which are not times of the same length (--across): ` +
          'leave sums out with --ignore',
      )
    }
  }
  const [{ start: begin, length = 0 }] = times as [(typeof times)[number]]
  const step = times.reduce((length, { start }) => divisor(length, start - begin), DAY)
  if (length > step) {
    refuse(`has ranges of ${length} minutes that begin ${step} minutes apart (--across): no sensor counts like that`)
  }
  return times.map(({ name, index, start }) => ({
    column: 'start',
    value: clockText(start),
    label: `column ${quote(name)}`,
    indexes: [index],
  }))
}

/** @param isLoose whether digits alone are an hour */
function readTime(name: string, isLoose: boolean): Time | undefined {
  const [from = '', to, ...more] = name.split(/\s*(?:[-–—]|\bto\b)\s*/i)
  const first = readClock(from)
  if (!first || more.length > 0) return undefined
  if (to === undefined) return first.certain || isLoose ? { start: minuteOfDay(first, first.half) } : undefined
  const last = readClock(to)
  if (!last || !(isLoose || (first.certain && last.certain))) return undefined
  if (first.half && !last.half) return undefined
  const end = minuteOfDay(last, last.half)
  // In 11:00-12:00 PM, only the end has its half of the day: the start is in the twelve hours before.
  const isHalfOpen = last.half !== undefined && first.half === undefined
  const start = isHalfOpen ? first.minute % 720 : minuteOfDay(first, first.half)
  const distance = (end - start + 2 * DAY) % (isHalfOpen ? 720 : DAY) || (isHalfOpen ? 720 : DAY)
  // 00:00-00:59 names the last minute.
  const length = (distance + 1) % 5 === 0 ? distance + 1 : distance
  return { start: (end - distance + DAY) % DAY, length }
}

function readClock(text: string): Clock | undefined {
  const short = /^(\d\d)(\d\d)$/.exec(text)
  const [, hours, minutes, half] = short ?? /^h?(\d{1,2})(?::(\d\d))?(?::00)?\s*(?:([ap])\.?m?\.?)?$/i.exec(text) ?? []
  if (hours === undefined) return undefined
  const [hour, minute] = [Number(hours), Number(minutes ?? 0)]
  if (minute > 59 || (half ? hour < 1 || hour > 12 : hour * 60 + minute > DAY)) return undefined
  return {
    minute: hour * 60 + minute,
    half: half?.toLowerCase(),
    certain: !short && (minutes ?? half) !== undefined,
  }
}

const minuteOfDay = ({ minute }: Clock, half: string | undefined): number =>
  half ? (minute % 720) + (half === 'p' ? 720 : 0) : minute

const clockText = (minute: number): string =>
  [Math.floor(minute / 60), minute % 60].map(part => String(part).padStart(2, '0')).join(':')
