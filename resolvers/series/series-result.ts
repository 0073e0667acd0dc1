/** A series as the schema describes it: its rows, one per bucket, with their total and average. */

import { type Label, listLabels } from './labels'
import { average } from './ratios'
import { coverageOf, impressionsOf, type Series } from './series'

type SeriesRow<Name extends Label> = { [name in Name]: string } & {
  impressions: number | null
  coverage: number
}

export class SeriesResult<Name extends Label> {
  readonly total: number
  readonly average: number

  /** @param label the name of the field that labels a row */
  constructor(
    private readonly series: Series,
    private readonly label: Name,
  ) {
    const { total, withData } = sumSeries(series)
    this.total = total
    this.average = average(total, withData)
  }

  /** Built when they are read. */
  get rows(): SeriesRow<Name>[] {
    return listLabels(this.series, this.label).map((label, i) => {
      const impressions = impressionsOf(this.series, i)
      const coverage = coverageOf(this.series, i)
      return { [this.label]: label, impressions, coverage } as SeriesRow<Name>
    })
  }
}

/** Returns the total of a series, and the number of its buckets with data. */
export function sumSeries({ sums, observed }: Series): { total: number; withData: number } {
  let total = 0
  let withData = 0
  for (let i = 0; i < sums.length; i++) {
    if (observed[i]! === 0) continue
    total += sums[i]!
    withData++
  }
  return { total, withData }
}
