/** Places the rows of series in time, by the clock of their asset. */
import type { Cell, Row } from './rows'

/** Returns the function that places rows in time: by the clock of the asset, as if all series began together. A clock change moves no point. */
export function readClock(rows: readonly Row[], x: string, seriesOf: (row: Row) => string): (row: Row) => Date {
  const timeOf = (row: Row) => Date.parse(String(row[x]))
  const begins = new Map<string, number>()
  for (const row of rows) if (!begins.has(seriesOf(row))) begins.set(seriesOf(row), timeOf(row))
  const [begin = 0] = begins.values()
  const offset = readOffset(rows[0]?.[x])
  return row => new Date(timeOf(row) - begins.get(seriesOf(row))! + begin + offset)
}

/** Returns the UTC offset of a time in milliseconds. */
function readOffset(time: Cell | undefined): number {
  const [, sign, hours, minutes] = /([+-])(\d\d):(\d\d)$/.exec(String(time)) ?? []
  return sign ? Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes)) * 60_000 : 0
}
