/** Ranges of days as months: those that lie in a range as a whole, and those that it cuts. */
import { type Dates, dateOf, monthNumber, numberOfDay } from './local-days'

export interface Months {
  /** Months since year 0, ascending. */
  all: number[]
  whole: number[]
  /** The first and the last day of each month that is cut. */
  cut: Map<number, readonly [first: number, last: number]>
}

export function monthsOf([from, to]: Dates): Months {
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

/** The number of days of a month. */
export function lengthOf(month: number): number {
  const [year, index] = [Math.floor(month / 12), month % 12]
  return numberOfDay(year, index + 2, 1) - numberOfDay(year, index + 1, 1)
}

/** The first days of the months that lie in a range as a whole, and the days of those that it cuts. */
export function monthStartsAndDaysOf(dates: Dates): { months: string[]; days: string[] } {
  const { whole, cut } = monthsOf(dates)
  const dateIn = (month: number, day: number) => dateOf(numberOfDay(Math.floor(month / 12), (month % 12) + 1, day))
  return {
    months: whole.map(month => dateIn(month, 1)),
    days: [...cut].flatMap(([month, [first, last]]) =>
      Array.from({ length: last - first + 1 }, (_, i) => dateIn(month, first + i)),
    ),
  }
}
