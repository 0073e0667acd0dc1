/** Resolvers for the frozen legacy interface, which uses the same counts as the partner interface. */
import { nativeGrain } from '../db/calendar/grains'
import type { ScopedReader } from '../db/postgres/scoped-reader'
import type { Detail } from '../db/queries/impressions'
import { readMeasurement } from '../db/queries/impressions'
import { readLegacyAssets, readLegacyState } from '../db/queries/legacy'
import { HEALTH_RANKING } from '../db/queries/sensors'
import type { LegacyMetricsResolvers } from '../schema/generated'
import type { Context, Query } from './context'
import { dailySeries } from './impressions'
import { checkRange, type DateRange, finestMinutes, toDates } from './limits/ranges'
import { assessHealth } from './sensors'
import { buildSeries } from './series/series'
import { SeriesResult } from './series/series-result'

export const legacyAssets: Query['legacyAssets'] = (_, __, { reader }) => readLegacyAssets(reader)

export const legacyAsset: Query['legacyAsset'] = async (_, { id }, { reader, now }) => {
  const state = await readLegacyState(reader, id)
  if (!state) return null
  const { name, latitude, longitude, sensors } = state
  const worst = sensors.reduce(
    (rank, sensor) => Math.max(rank, HEALTH_RANKING.indexOf(assessHealth(sensor, now).status)),
    -1,
  )
  const status = HEALTH_RANKING[worst] ?? 'unknown'
  return {
    name,
    center: { lat: latitude, lng: longitude },
    deviceIds: sensors.map(({ serial }) => serial),
    sensorStatus: status === 'healthy' ? 'online' : status,
  }
}

export const legacyMetrics: Query['legacyMetrics'] = (_, request) => request

const readOfAnyId = (reader: ScopedReader, id: string, range: DateRange, detail: Detail) =>
  readMeasurement(reader, id, toDates(range), detail, undefined, 'any-id')

export const LegacyMetrics: LegacyMetricsResolvers<Context> = {
  async daily({ id, ...range }, _, { reader }) {
    checkRange(range)
    const measurement = await readOfAnyId(reader, id, range, 'totals')
    return measurement ? dailySeries(measurement, range) : null
  },

  async finest({ id, ...range }, _, { reader }) {
    checkRange(range, 'minute')
    const measurement = await readOfAnyId(reader, id, range, 'counts')
    if (!measurement) return null
    const grain = nativeGrain(finestMinutes(measurement, range))
    return new SeriesResult(buildSeries(measurement, range, grain), 'time')
  },
}
