/**
 * The rows of a series, one a bucket, with their total and average: objects for whoever asks freely; for a fixed query the
 * bytes of its rows, since making objects of a day of minutes, and text of them, would cost most of the request.
 */
import type { Context } from '../context'
import { average } from '../ratios'
import { type Naming, namesOf } from './labels'
import { coverageOf, type Series } from './series'
import { bytesOf } from './series-json'

interface Rows<Row> {
  rows: Row[]
  total: number
  average: number
}

/**
 * The rows of a series, whose buckets are called in one of the ways of names.ts. `row` makes one. Where the context wants
 * bytes, it gets them, and there are none.
 */
export function rowsOf<Row>(
  series: Series,
  naming: Naming,
  context: Context | undefined,
  row: (name: string, impressions: number | null, coverage: number) => Row,
): Rows<Row> {
  const { total, withData } = totalOf(series)
  const answer = { rows: [] as Row[], total, average: average(total, withData) }
  if (context?.rowForm?.series) {
    context.rowBytes = bytesOf(series, naming, context.rowForm.series)
    return answer
  }
  namesOf(series, naming).forEach((name, i) => {
    const impressions = (series.observed[i] as number) > 0 ? (series.sums[i] as number) : null
    answer.rows.push(row(name, impressions, coverageOf(series, i)))
  })
  return answer
}

/** What a series comes to, and how many of its buckets have data. */
export function totalOf({ sums, observed }: Series): { total: number; withData: number } {
  let total = 0
  let withData = 0
  for (let i = 0; i < sums.length; i++) {
    if ((observed[i] as number) === 0) continue
    total += sums[i] as number
    withData++
  }
  return { total, withData }
}
