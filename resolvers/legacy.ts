/** Answers the frozen legacy interface, from the same counts and in the same way as the partner's. */

import { nativeGrain } from '../db/calendar/grains'
import { readMeasurementOfAny } from '../db/queries/impressions'
import { readLegacyAssets, readLegacyState } from '../db/queries/legacy'
import type { LegacyMetricsResolvers } from '../schema/generated'
import type { Context, Query } from './context'
import { dailyOf } from './impressions'
import { finestMinutes } from './limits/grains'
import { checkRange } from './limits/ranges'
import { healthOf, WORSE } from './sensors'
import { rowsOf } from './series/rows'
import { seriesOf } from './series/series'

export const legacyAssets: Query['legacyAssets'] = (_, __, { reader }) => readLegacyAssets(reader)

export const legacyAsset: Query['legacyAsset'] = async (_, { id }, { reader, now }) => {
  const state = await readLegacyState(reader, id)
  if (!state) return null
  const { name, latitude, longitude, sensors } = state
  const worst = sensors.reduce((rank, sensor) => Math.max(rank, WORSE.indexOf(healthOf(sensor, now).status)), -1)
  const status = WORSE[worst] ?? 'unknown'
  return {
    name,
    center: { lat: latitude, lng: longitude },
    deviceIds: sensors.map(({ serial }) => serial),
    sensorStatus: status === 'healthy' ? 'online' : status,
  }
}

export const legacyMetrics: Query['legacyMetrics'] = (_, asked) => asked

export const LegacyMetrics: LegacyMetricsResolvers<Context> = {
  async daily({ id, ...range }, _, context) {
    checkRange(range)
    const measurement = await readMeasurementOfAny(context.reader, id, [range.fromDate, range.toDate], 'totals')
    return measurement ? dailyOf(seriesOf(measurement, range, 'day'), context) : null
  },

  async finest({ id, ...range }, _, context) {
    checkRange(range, 'minute')
    const measurement = await readMeasurementOfAny(context.reader, id, [range.fromDate, range.toDate], 'counts')
    if (!measurement) return null
    const grain = nativeGrain(finestMinutes(measurement, range))
    const series = seriesOf(measurement, range, grain)
    return rowsOf(series, 'time', context, (time, impressions) => ({ time, impressions }))
  },
}
