/** Answers impressions of one asset. Each field reads with one statement, and only what its grain needs. */
import { readMeasurement } from '../db/impressions'
import { readCities, readRegions } from '../db/origins'
import type { DailyImpressions, Grain, ImpressionsResolvers, ImpressionsSeries } from '../schema/generated'
import type { Context, Query } from './context'
import { checkGrain } from './grains'
import { checkRange, type DateRange } from './ranges'
import { average, coverage, share } from './ratios'
import { datesOf, detailFor, rowsOf, type Series, seriesOf, startsOfBuckets } from './series'

interface ImpressionsOfAsset extends DateRange {
  assetId: string
}

export const impressions: Query['impressions'] = (_, { assetId, fromDate, toDate }) => ({
  assetId,
  fromDate,
  toDate,
})

export const Impressions: ImpressionsResolvers<Context> = {
  async summary(asked, _, { door }) {
    checkRange(asked)
    const measurement = await readMeasurement(door, asked.assetId, asked.fromDate, asked.toDate, 'totals')
    if (!measurement) return null
    const series = seriesOf(measurement, asked, 'day')
    const daily = dailyOf(series)
    const withData = daily.rows.filter(day => day.impressions !== null)
    const busiest = withData.reduce<(typeof withData)[number] | null>(
      (best, day) => (best === null || (day.impressions as number) > (best.impressions as number) ? day : best),
      null,
    )
    const sum = (counts: Float64Array) => counts.reduce((all, count) => all + count, 0)
    const summary = {
      fromDate: asked.fromDate,
      toDate: asked.toDate,
      days: daily.rows.length,
      daysWithData: withData.length,
      impressions: daily.total,
      averageDailyImpressions: daily.average,
      busiestDate: busiest?.date ?? null,
      busiestDateImpressions: busiest?.impressions ?? null,
      coverage: coverage(sum(series.observed), sum(series.expected)),
    }
    return { rows: [summary], total: daily.total, average: daily.average }
  },

  async daily(asked, _, { door }) {
    checkRange(asked)
    const measurement = await readMeasurement(door, asked.assetId, asked.fromDate, asked.toDate, 'totals')
    return measurement ? dailyOf(seriesOf(measurement, asked, 'day')) : null
  },

  hourly: (asked, _, context) => timeseries(asked, 'hour', context),

  timeseries: (asked, { grain }, context) => timeseries(asked, grain, context),

  async byRegion(asked, _, { door }) {
    checkRange(asked)
    return shared(await readRegions(door, asked.assetId, asked.fromDate, asked.toDate))
  },

  async byCity(asked, _, { door }) {
    checkRange(asked)
    return shared(await readCities(door, asked.assetId, asked.fromDate, asked.toDate))
  },
}

async function timeseries(
  asked: ImpressionsOfAsset,
  grain: Grain,
  { door }: Context,
): Promise<ImpressionsSeries | null> {
  checkRange(asked, grain)
  const measurement = await readMeasurement(door, asked.assetId, asked.fromDate, asked.toDate, detailFor(grain))
  if (!measurement) return null
  checkGrain(measurement, asked, grain)
  const series = seriesOf(measurement, asked, grain)
  return rowsOf(series, startsOfBuckets(series, grain), (start, impressions, coverage) => ({
    start,
    impressions,
    coverage,
  }))
}

/** A series of days as it is told. */
export const dailyOf = (series: Series): DailyImpressions =>
  rowsOf(series, datesOf(series), (date, impressions, coverage) => ({ date, impressions, coverage }))

/** Places with their part of the total. */
function shared<Place>(origins: { daysWithData: number; places: (Place & { impressions: number })[] } | undefined) {
  if (!origins) return null
  const total = origins.places.reduce((sum, place) => sum + place.impressions, 0)
  return {
    rows: origins.places.map(place => ({ ...place, share: share(place.impressions, total) })),
    total,
    average: average(total, origins.daysWithData),
  }
}
