/**
 * The response to the last request of the quickstart: the daily impressions of a demo asset in the week before. The demo
 * generates the same counts of a day whenever it is loaded, so that the response has the dates of the request.
 */
import { MISSING } from '../../../db/calendar/packed-counts'
import { sensorDays, sum } from '../../../db/seeds/demo/counts'
import { SENSORS, sensorsAt } from '../../../db/seeds/demo/sensors'
import { average, share } from '../../../resolvers/series/ratios'
import { ASSET } from '../../read/params'

/** @param dates the requested days; the last one is the day before `now` (seconds since 1970) */
export function demoWeek(dates: readonly string[], now: number): object {
  const sensors = sensorsAt(
    now,
    SENSORS.filter(({ asset, next }) => asset.id === ASSET || next.id === ASSET),
  )
  const days = new Map<string, Int32Array>()
  for (const { asset, date, counts } of sensorDays(sensors, now, dates.length)) {
    if (asset.id === ASSET) days.set(date, counts)
  }
  const data = dates.map(date => {
    const counts = days.get(date)
    const observed = counts?.filter(count => count !== MISSING) ?? []
    return {
      date,
      impressions: observed.length > 0 ? sum([...observed]) : null,
      coverage: share(observed.length, counts?.length ?? 0),
    }
  })
  const total = sum(data.map(({ impressions }) => impressions ?? 0))
  return { data, total, average: average(total, data.filter(({ impressions }) => impressions !== null).length) }
}
