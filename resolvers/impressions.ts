/** Answers impressions of one asset. Each field reads with one statement, and only what its grain needs. */
import type { Dates } from '../db/calendar/local-days'
import { type Detail, type Measurement, readMeasurement } from '../db/queries/impressions'
import { type Places, readOrigins } from '../db/queries/origins'
import type {
  DailyImpressions,
  Grain,
  ImpressionsResolvers,
  ImpressionsSeries,
  ResolversParentTypes,
} from '../schema/generated'
import { comparison } from './comparisons'
import type { Context, Query } from './context'
import { checkGrain } from './limits/grains'
import { checkRange, type DateRange } from './limits/ranges'
import { average, coverage, share } from './ratios'
import { namesOf } from './series/labels'
import { rowsOf, totalOf } from './series/rows'
import { detailFor, type Series, seriesOf } from './series/series'

type ImpressionsOfAsset = ResolversParentTypes['Impressions']

/** Alone an asset is read in the request's one flight; nested under a list, together with its neighbours. */
async function measure(asked: ImpressionsOfAsset, detail: Detail, context: Context): Promise<Measurement | undefined> {
  const dates = datesOfRange(asked)
  if (asked.nested) return context.loaders.measurements(dates, detail).load(asked.assetId)
  return context.note(await readMeasurement(context.reader, asked.assetId, dates, detail, context.precondition))
}

async function originsOf<By extends keyof Places>(by: By, asked: ImpressionsOfAsset, context: Context) {
  const dates = datesOfRange(asked)
  if (asked.nested) return context.loaders.origins(by, dates).load(asked.assetId)
  return context.note(await readOrigins(context.reader, by, asked.assetId, dates, context.precondition))
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
    const { total, withData } = totalOf(series)
    const busiest = busiestOf(series)
    const summary = {
      fromDate: asked.fromDate,
      toDate: asked.toDate,
      days: series.sums.length,
      daysWithData: withData,
      impressions: total,
      averageDailyImpressions: average(total, withData),
      busiestDate: busiest === undefined ? null : (namesOf(series, 'date')[busiest] as string),
      busiestDateImpressions: busiest === undefined ? null : (series.sums[busiest] as number),
      coverage: coverage(sum(series.covered), sum(series.expected)),
    }
    return { rows: [summary], total, average: summary.averageDailyImpressions }
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
  return rowsOf(series, 'start', context, (start, impressions, coverage) => ({
    start,
    impressions,
    coverage,
  }))
}

/** The bucket with most impressions, the earliest of several; undefined without data. */
function busiestOf({ sums, observed }: Series): number | undefined {
  let busiest: number | undefined
  for (let i = 0; i < sums.length; i++) {
    const more = busiest === undefined || (sums[i] as number) > (sums[busiest] as number)
    if ((observed[i] as number) > 0 && more) busiest = i
  }
  return busiest
}

const sum = (numbers: Int32Array): number => numbers.reduce((all, number) => all + number, 0)

const countOf = ({ days }: Measurement): number => days.reduce((sum, { impressions }) => sum + impressions, 0)

/** A series of days as it is told, as bytes where the context wants them. */
export const dailyOf = (series: Series, context: Context): DailyImpressions =>
  rowsOf(series, 'date', context, (date, impressions, coverage) => ({ date, impressions, coverage }))

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
