/** Answers impressions of one asset. Each field reads with one statement, and only what its grain needs. */
import { type Dates, type Detail, type Measurement, readMeasurement } from '../db/impressions'
import { type Places, readOrigins } from '../db/origins'
import type {
  DailyImpressions,
  Grain,
  ImpressionsResolvers,
  ImpressionsSeries,
  ResolversParentTypes,
} from '../schema/generated'
import { comparison } from './comparisons'
import type { Context, Query } from './context'
import { checkGrain } from './grains'
import { checkRange, type DateRange } from './ranges'
import { average, coverage, share } from './ratios'
import { datesOf, rowsOf, startsOfBuckets } from './rows'
import { detailFor, type Series, seriesOf } from './series'

type ImpressionsOfAsset = ResolversParentTypes['Impressions']

/** Alone an asset is read in the request's one flight; nested under a list, together with its neighbours. */
async function measure(asked: ImpressionsOfAsset, detail: Detail, context: Context): Promise<Measurement | undefined> {
  const dates = datesOfRange(asked)
  if (asked.nested) return context.loaders.measurements(dates, detail).load(asked.assetId)
  return context.note(await readMeasurement(context.door, asked.assetId, dates, detail, context.held))
}

async function originsOf<By extends keyof Places>(by: By, asked: ImpressionsOfAsset, context: Context) {
  const dates = datesOfRange(asked)
  if (asked.nested) return context.loaders.origins(by, dates).load(asked.assetId)
  return context.note(await readOrigins(context.door, by, asked.assetId, dates, context.held))
}

const datesOfRange = ({ fromDate, toDate }: DateRange): Dates => [fromDate, toDate]

export const impressions: Query['impressions'] = (_, { assetId, fromDate, toDate }) => ({
  assetId,
  fromDate,
  toDate,
})

export const Impressions: ImpressionsResolvers<Context> = {
  async summary(asked, _, context) {
    checkRange(asked)
    const measurement = await measure(asked, 'totals', context)
    if (!measurement) return null
    const series = seriesOf(measurement, asked, 'day')
    const daily = dailyOf(series, undefined)
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
      coverage: coverage(sum(series.covered), sum(series.expected)),
    }
    return { rows: [summary], total: daily.total, average: daily.average }
  },

  async daily(asked, _, context) {
    checkRange(asked)
    const measurement = await measure(asked, 'totals', context)
    return measurement ? dailyOf(seriesOf(measurement, asked, 'day'), context) : null
  },

  hourly: (asked, _, context) => timeseries(asked, 'hour', context),

  timeseries: (asked, { grain }, context) => timeseries(asked, grain, context),

  async byRegion(asked, _, context) {
    checkRange(asked)
    return shared(await originsOf('region', asked, context))
  },

  async byCity(asked, _, context) {
    checkRange(asked)
    return shared(await originsOf('city', asked, context))
  },

  async compare(asked, range, context) {
    checkRange(asked)
    checkRange(range)
    const measured = [measure(asked, 'totals', context), measure({ ...asked, ...range }, 'totals', context)]
    const [ours, theirs] = await Promise.all(measured)
    return ours && theirs ? comparison(countOf(ours), countOf(theirs)) : null
  },
}

async function timeseries(
  asked: ImpressionsOfAsset,
  grain: Grain,
  context: Context,
): Promise<ImpressionsSeries | null> {
  checkRange(asked, grain)
  const measurement = await measure(asked, detailFor(grain), context)
  if (!measurement) return null
  checkGrain(measurement, asked, grain)
  const series = seriesOf(measurement, asked, grain)
  return rowsOf(series, startsOfBuckets(series), context, (start, impressions, coverage) => ({
    start,
    impressions,
    coverage,
  }))
}

const countOf = ({ days }: Measurement): number => days.reduce((sum, { impressions }) => sum + impressions, 0)

/** A series of days as it is told, to whoever wants text in a context. */
export const dailyOf = (series: Series, context: Context | undefined): DailyImpressions =>
  rowsOf(series, datesOf(series), context, (date, impressions, coverage) => ({ date, impressions, coverage }))

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
