/** Calendar days, as YYYY-MM-DD. */

/** First and last local day, inclusive. */
export type Days = readonly [from: string, to: string]

const DAY_MS = 86_400_000

export const addDays = (day: string, count: number): string => dateOf(Date.parse(day) + count * DAY_MS)

export const isDay = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) && dateOf(Date.parse(text)) === text

/** Returns the days of a month. @param month YYYY-MM */
export function daysOfMonth(month: string): Days {
  const [year, number] = month.split('-').map(Number) as [number, number]
  return [`${month}-01`, dateOf(Date.UTC(year, number, 0))]
}

const dateOf = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 10)
