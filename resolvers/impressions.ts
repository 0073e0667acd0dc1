/** Resolvers for the impressions of one asset. Each field reads with one statement, and only what its grain needs. */
import { GRAINS } from '../db/calendar/grains'
import type { Instant } from '../db/queries/as-of'
import { readGaps } from '../db/queries/gaps'
import type { Detail } from '../db/queries/impressions'
import { type Measurement, readMeasurement } from '../db/queries/impressions'
import { readOrigins } from '../db/queries/origins'
import type { ImpressionsResolvers, ResolversParentTypes } from '../schema/generated'
import type { Context, Query } from './context'
import { type AsOfArgument, checkAsOfGrain, checkBeginning, parseAsOf } from './limits/as-of'
import { checkGrain, checkRange, type DateRange, toDates } from './limits/ranges'
import { checkSeconds } from './limits/rows'
import { listGaps } from './series/gaps'
import { buildWeek, type TypicalWeek } from './series/profile'
import { average, coverage, share } from './series/ratios'
import { buildSeries, type Series } from './series/series'
import { listLabels, SeriesResult, sumSeries } from './series/series-result'

type ImpressionsRequest = ResolversParentTypes['Impressions']

/** At the root an asset is read by a statement of its own, nested under a list together with its siblings. */
function measure(
  request: ImpressionsRequest,
  detail: Detail,
  context: Context,
  asOf?: Instant,
): Promise<Measurement | undefined> {
  const dates = toDates(request)
  if (request.nested) return context.loaders.measurements(dates, detail, asOf).load(request.assetId)
  return readMeasurement(context.reader, request.assetId, dates, detail, asOf)
}

/** Reads the totals of days as they are, or as they were at an instant. @throws ApiError INVALID_PARAMETER */
async function measureDays(request: ImpressionsRequest, { asOf }: AsOfArgument, context: Context) {
  if (asOf == null) return measure(request, 'totals', context)
  const [measurement] = await Promise.all([
    measure(request, 'totals', context, parseAsOf(asOf, context)),
    checkBeginning(asOf, context),
  ])
  return measurement
}

async function readPlaces(by: 'region' | 'city', request: ImpressionsRequest, context: Context) {
  checkRange(request)
  const { assetId, nested } = request
  const dates = toDates(request)
  const origins = nested
    ? await context.loaders.origins(by, dates).load(assetId)
    : (await readOrigins(context.reader, by, [assetId], dates)).get(assetId)
  if (!origins) return null
  const total = origins.places.reduce((sum, place) => sum + place.impressions, 0)
  const rows = origins.places.map(place => ({ ...place, share: share(place.impressions, total) }))
  const { daysWithData } = origins
  return { rows, total, average: average(total, daysWithData), daysWithData }
}

export const impressions: Query['impressions'] = (_, request) => request

export const Impressions: ImpressionsResolvers<Context> = {
  async summary(request, moment, context) {
    checkRange(request)
    const measurement = await measureDays(request, moment, context)
    if (!measurement) return null
    const summary = summarizeSeries(buildSeries(measurement, request, 'day'), request)
    return {
      rows: [summary],
      total: summary.impressions,
      average: summary.averageDailyImpressions,
    }
  },

  async daily(request, moment, context) {
    checkRange(request)
    const measurement = await measureDays(request, moment, context)
    return measurement ? dailySeries(measurement, request) : null
  },

  async timeseries(request, { grain, asOf = null }, context) {
    checkAsOfGrain(asOf, grain)
    checkRange(request, grain)
    const { detail } = GRAINS[grain]
    const measurement = await (detail === 'totals'
      ? measureDays(request, { asOf }, context)
      : measure(request, detail, context))
    if (!measurement) return null
    checkGrain(measurement, request, grain)
    return new SeriesResult(buildSeries(measurement, request, grain), 'start')
  },

  async profile(request, { seconds = null }, context) {
    checkRange(request, 'hour')
    checkSeconds(seconds)
    if (request.nested) return describeWeek(await context.loaders.weeks(request).load(request.assetId), seconds)
    const measurement = await measure(request, 'hours', context)
    return describeWeek(measurement && buildWeek(measurement, request), seconds)
  },

  byRegion: (request, _, context) => readPlaces('region', request, context),

  byCity: (request, _, context) => readPlaces('city', request, context),

  async gaps(request, _, context) {
    checkRange(request)
    const dates = toDates(request)
    const { assetId } = request
    const asset = request.nested
      ? await context.loaders.gaps(dates).load(assetId)
      : (await readGaps(context.reader, [assetId], dates)).get(assetId)
    if (!asset) return null
    return { rows: await listGaps(asset, dates, context.gapBudget) }
  },
}

/** @param seconds the length of a play, for people per play; null for none */
function describeWeek(week: TypicalWeek | undefined, seconds: number | null) {
  return week ? { rows: week.rowsWith(seconds), total: week.total, average: week.average } : null
}

export const dailySeries = (measurement: Measurement, range: DateRange): SeriesResult<'date'> =>
  new SeriesResult(buildSeries(measurement, range, 'day'), 'date')

function summarizeSeries(series: Series, { fromDate, toDate }: DateRange) {
  const { total, withData } = sumSeries(series)
  const busiest = findBusiest(series)
  return {
    fromDate,
    toDate,
    days: series.sums.length,
    daysWithData: withData,
    impressions: total,
    averageDailyImpressions: average(total, withData),
    busiestDate: busiest === undefined ? null : listLabels(series, 'date')[busiest]!,
    busiestDateImpressions: busiest === undefined ? null : series.sums[busiest]!,
    coverage: coverage(add(series.observed), add(series.expected)),
  }
}

/** Returns the index of the bucket with the most impressions, the earliest of several; undefined without data. */
function findBusiest({ sums, observed }: Series): number | undefined {
  let busiest: number | undefined
  for (let i = 0; i < sums.length; i++) {
    const isMore = busiest === undefined || sums[i]! > sums[busiest]!
    if (observed[i]! > 0 && isMore) busiest = i
  }
  return busiest
}

const add = (numbers: Int32Array): number => numbers.reduce((sum, number) => sum + number, 0)
