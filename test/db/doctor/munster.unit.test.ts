import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { LocalDayCache } from '../../../db/calendar/local-day-cache'
import { dayNumber, listStarts } from '../../../db/calendar/local-days'
import { MISSING } from '../../../db/calendar/packed-counts'
import { readNodeRules } from '../../../db/calendar/zone-rules'
import { CompanyJudge } from '../../../db/doctor/company-judge'
import { SensorCounts } from '../../../db/doctor/sensor-counts'

const COUNTS = join(__dirname, '..', '..', '..', '..', 'shared', 'data', 'munster', 'counts_quarter_hour.csv.gz')

const present = existsSync(COUNTS)
if (!present) console.warn('Real counts (Münster) are not there: the test of faults among them is skipped.')

const ZONE = 'Europe/Berlin'

/** The quarter hours of a station by day. */
type Station = Map<number, Float64Array>

/** Real counts of bicycles, Stadt Münster, dl-de/by-2-0. */
;(present ? describe : describe.skip)('faults of the counts of Münster', () => {
  const days = new LocalDayCache(new Map([[ZONE, readNodeRules(ZONE)]]))
  const stations = new Map<string, Station>()
  beforeAll(() => {
    for (const line of gunzipSync(readFileSync(COUNTS)).toString().trimEnd().split('\n').slice(1)) {
      const [name = '', start = '', count = ''] = line.split(',')
      const number = dayNumber(start)
      const day = days.day(ZONE, number)
      const starts = listStarts(day, 15)
      const second = Number(start.slice(11, 13)) * 3600 + Number(start.slice(14, 16)) * 60
      const station = stations.get(name) ?? new Map()
      if (!station.has(number)) station.set(number, new Float64Array(starts.length).fill(MISSING))
      station.get(number)[starts.indexOf(days.findInstants(ZONE, number, second)[0]! - day.start)] = Number(count)
      stations.set(name, station)
    }
  })

  test('are not found in the counts as they were published', () => {
    const all = [...new Set([...stations.values()].flatMap(station => [...station.keys()]))].sort((a, b) => a - b)
    const [first, end] = [all[0]!, all.at(-1)! + 1]
    const judge = new CompanyJudge(first, end)
    for (const station of stations.values()) {
      const sensor = new SensorCounts(first, end - first, 24)
      for (const [number, counts] of [...station].sort(([a], [b]) => a - b)) {
        sensor.add(days.day(ZONE, number), 15, counts)
      }
      judge.add(sensor)
    }
    const found = judge.finish().flatMap(({ faults }) => faults.map(({ fault }) => fault))
    expect(new Set(found)).toEqual(new Set(found.filter(fault => ['zero', 'level'].includes(fault))))
    expect(found.filter(fault => fault === 'level').length).toBeLessThanOrEqual(5)
  })
})
