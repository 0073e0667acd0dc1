/** The query for the reasons why an asset has no counts, to which missing values lead. */
import { findTime } from '../results/chart/charts'
import { findLastDays } from '../results/chart/partial-buckets'
import type { QueryArguments } from '../results/chart/query-arguments'
import type { Cell, Table } from '../results/table/tables'
import { daysBefore } from './query-defaults'
import type { ReadyQuery } from './ready-query'

export const GAPS_QUERY: ReadyQuery = {
  title: 'Why counts are missing',
  description: 'The stretches of one asset without counts in the last four weeks, with the reason of each.',
  query: `query WhyCountsAreMissing(
  $id: ID!
  $from: Date!
  $to: Date!
) {
  impressions(
    assetId: $id
    fromDate: $from
    toDate: $to
  ) {
    gaps {
      rows { reason from to missing sensorId }
    }
  }
}
`,
  variables: ({ assetId, toDate }) => ({ id: assetId, from: daysBefore(toDate, 27), to: toDate }),
}

/** The variables of the query. */
interface Missing {
  id: string
  from: string
  to: string
}

/**
 * Returns a function that finds the asset and the days of a missing value; undefined for a row with a value, or one that is not of
 * one asset and time.
 */
export function missingIn(
  { columns, rows }: Pick<Table, 'columns' | 'rows'>,
  column: string,
  { assetId, grain, toDate }: QueryArguments,
): (row: Cell[]) => Missing | undefined {
  const [value, time, asset] = [columns.indexOf(column), findTime({ columns }), columns.indexOf('assets.id')]
  if (time < 0 || !/(^|\.)impressions$/.test(column)) return () => undefined
  const lastDayOf = findLastDays(rows.map(row => String(row[time])).sort(), grain)
  return row => {
    const id = assetId ?? row[asset]
    const start = String(row[time])
    if (row[value] !== null || typeof id !== 'string' || !/^\d{4}-/.test(start)) return undefined
    const last = lastDayOf(start)
    return { id, from: start.slice(0, 10), to: toDate !== undefined && toDate < last ? toDate : last }
  }
}
