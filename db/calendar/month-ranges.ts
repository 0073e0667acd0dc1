/** Ranges of days as months: those that lie in a range as a whole, and those that it cuts. */
import { type Dates, monthNumber, numberOfDay } from './local-days'

/** The days of a month. */
export const DAYS: readonly number[] = Array.from({ length: 31 }, (_, i) => i + 1)

interface Months {
  /** Months since year 0, ascending. */
  all: number[]
  whole: number[]
  /** The first and the last day of each month that is cut. */
  cut: Map<number, readonly [first: number, last: number]>
}

/** Splits a range of days by months. A range that ends before it begins has none. */
export function splitByMonths([from, to]: Dates): Months {
  if (from > to) return { all: [], whole: [], cut: new Map() }
  const [first, last] = [monthNumber(from), monthNumber(to)]
  const all = Array.from({ length: last - first + 1 }, (_, i) => first + i)
  const cut: Months['cut'] = new Map()
  for (const month of new Set([first, last])) {
    const firstDay = month === first ? Number(from.slice(8)) : 1
    const length = lengthOf(month)
    const lastDay = month === last ? Number(to.slice(8)) : length
    if (firstDay > 1 || lastDay < length) cut.set(month, [firstDay, lastDay])
  }
  return { all, whole: all.filter(month => !cut.has(month)), cut }
}

const lengthOf = (month: number): number => firstDayOf(month + 1) - firstDayOf(month)

const firstDayOf = (month: number): number => numberOfDay(Math.floor(month / 12), (month % 12) + 1, 1)

/**
 * Returns the days of a month that lie in a range. Values of a month come as 31 columns, of which a shorter month uses less.
 *
 * @param first the number of the first day of the range
 * @param length the number of days of the range
 * @returns how many days they share, and the index of the first of them in each
 */
export function intersectMonth(month: number, first: number, length: number) {
  const offset = firstDayOf(month) - first
  const inMonth = Math.max(0, -offset)
  const end = Math.min(lengthOf(month), length - offset)
  return { inMonth, inRange: offset + inMonth, count: Math.max(0, end - inMonth) }
}

/** The first and last day of each of the two months that a range may cut; null for none. */
type Cuts = Record<`${'month' | 'first' | 'last'}${1 | 2}`, number | null>

const NO_CUT = [null, [null, null]] as const

/** Returns the months of a range, as parameters of statements. */
export function monthParameters(dates: Dates): Cuts & { whole: number[] } {
  const { whole, cut } = splitByMonths(dates)
  const [[month1, [first1, last1]] = NO_CUT, [month2, [first2, last2]] = NO_CUT] = [...cut]
  return { whole, month1, first1, last1, month2, first2, last2 }
}
