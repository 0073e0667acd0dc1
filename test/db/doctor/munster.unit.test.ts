import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { intervalStarts, LocalDayCache } from '../../../db/calendar/local-day-cache'
import { dayNumber } from '../../../db/calendar/local-days'
import { MISSING } from '../../../db/calendar/packed-counts'
import { readNodeRules } from '../../../db/calendar/zone-rules'
import { CompanyJudge, type Verdict } from '../../../db/doctor/company-judge'
import type { FaultKind } from '../../../db/doctor/fault'
import { SensorCounts } from '../../../db/doctor/sensor-counts'
import { rounds } from '../../support/rounds'

const COUNTS = join(__dirname, '..', '..', '..', '..', 'shared', 'data', 'munster', 'counts_quarter_hour.csv.gz')

const present = existsSync(COUNTS)
if (!present) console.warn('Real counts (Münster) are not there: the test of faults among them is skipped.')

const ZONE = 'Europe/Berlin'
const HISTORY = 56
const WINDOW = 3

/** The quarter hours of a station by day. */
type Station = Map<number, Float64Array>

let seed = 44
const random = (n: number): number => {
  seed = (seed * 48_271) % 2_147_483_647
  return seed % n
}

/** Changes the three days `days` of a station, from the day `window` on. */
type Injection = (days: Float64Array[], station: Station, window: number) => void

const change =
  (of: (count: number) => number): Injection =>
  days => {
    for (const day of days) day.set(day.map(count => (count < 0 ? count : of(count))))
  }

/** From an hour of the first day on. */
const fillFrom =
  (of: (day: Float64Array, i: number) => number): Injection =>
  days => {
    const start = 24 + random(48)
    const value = of(days[0]!, start)
    for (const [i, day] of days.entries()) day.fill(value, i === 0 ? start : 0)
  }

const shiftBy =
  (quarters: number): Injection =>
  (days, station, window) => {
    const around = (day: number) => [...(station.get(day) ?? new Float64Array(96).fill(MISSING))]
    const before = around(window - 1)
    const all = [...before, ...days.flatMap(day => [...day]), ...around(window + WINDOW)]
    let place = before.length - quarters
    for (const day of days) day.set(day.map(() => all[place++]!))
  }

/** One of these changes as many stations and windows as there are; each fault is to be found in 95 of 100 of them. */
const INJECTIONS: [FaultKind, string, Injection][] = [
  ['zero', 'zeros come from an hour on', fillFrom(() => 0)],
  ['zero', 'a day of zeros', days => days[random(WINDOW)]!.fill(0)],
  ['stuck', 'a count stays the same', fillFrom((day, i) => Math.max(1, day[i]!))],
  [
    'repeated_days',
    'days repeat the one before',
    (days, station, window) => {
      for (const day of days) day.set(station.get(window - 1)!.slice(-day.length))
    },
  ],
  ['shifted', 'counts come an hour late', shiftBy(4)],
  ['shifted', 'counts come an hour early', shiftBy(-4)],
  ['implausible', 'one count is far above all others', days => (days[random(WINDOW)]![random(92)] = 9999)],
  ['level', 'counts halve', change(count => Math.round(count / 2))],
  ['level', 'counts double', change(count => count * 2)],
]

/** Windows that change. Each changes four stations, since one run judges all of them. */
const RUNS = rounds(20, 60)
const AT_ONCE = 4

/** Real counts of bicycles, Stadt Münster, dl-de/by-2-0, with faults that are put among them. */
;(present ? describe : describe.skip)('faults among the counts of Münster', () => {
  const days = new LocalDayCache(new Map([[ZONE, readNodeRules(ZONE)]]))
  const stations = new Map<string, Station>()
  beforeAll(() => {
    for (const line of gunzipSync(readFileSync(COUNTS)).toString().trimEnd().split('\n').slice(1)) {
      const [name = '', start = '', count = ''] = line.split(',')
      const number = dayNumber(start)
      const day = days.day(ZONE, number)
      const starts = intervalStarts(day, 15)
      const second = Number(start.slice(11, 13)) * 3600 + Number(start.slice(14, 16)) * 60
      const station = stations.get(name) ?? new Map()
      if (!station.has(number)) station.set(number, new Float64Array(starts.length).fill(MISSING))
      station.get(number)[starts.indexOf(days.findInstants(ZONE, number, second)[0]! - day.start)] = Number(count)
      stations.set(name, station)
    }
  })

  const judge = (
    from: number,
    end: number,
    changed: ReadonlyMap<string, Station> = new Map(),
  ): Map<string, Verdict> => {
    const judge = new CompanyJudge(from, end)
    for (const [name, station] of stations) {
      const first = Math.min(from, end - WINDOW) - HISTORY
      const sensor = new SensorCounts(first, end - first, 24)
      for (let number = first; number < end; number++) {
        const counts = changed.get(name)?.get(number) ?? station.get(number)
        if (counts) sensor.add(days.day(ZONE, number), 15, counts)
      }
      judge.add(sensor)
    }
    const verdicts = judge.finish()
    return new Map([...stations.keys()].map((name, i) => [name, verdicts[i]!]))
  }

  /** Stations and first days of windows that are whole, after two weeks with counts or more. */
  const chooseWindow = (): { window: number; names: string[] } => {
    const all = [...stations.get('100034978')!.keys()]
    for (;;) {
      const window = all[random(all.length)]!
      const isWhole = (name: string) => {
        const own = stations.get(name)!
        const before = [...own.keys()].filter(day => day < window && day >= window - HISTORY)
        const isCounted = (day: number) => (own.get(day)?.filter(count => count !== MISSING).length ?? 0) >= 92
        return before.length >= 14 && [-1, 0, 1, 2].every(day => isCounted(window + day))
      }
      const names = [...stations.keys()].filter(isWhole)
      if (names.length > 10) return { window, names }
    }
  }

  test.each(INJECTIONS)('%s: %s', (fault, _, inject) => {
    let [found, judged] = [0, 0]
    for (let run = 0; run < RUNS; run++) {
      const { window, names } = chooseWindow()
      const changed = new Map<string, Station>()
      while (changed.size < AT_ONCE) {
        const name = names[random(names.length)]!
        if (changed.has(name)) continue
        const station = new Map(stations.get(name)!)
        const own = [0, 1, 2].map(day => station.get(window + day)!.slice())
        inject(own, stations.get(name)!, window)
        for (const [i, day] of own.entries()) station.set(window + i, day)
        changed.set(name, station)
      }
      const verdicts = judge(window, window + WINDOW, changed)
      for (const name of changed.keys()) {
        const { faults, unjudged } = verdicts.get(name)!
        if (unjudged.some(({ faults }) => faults.includes(fault))) continue
        judged++
        if (faults.some(each => each.fault === fault)) found++
      }
    }
    expect(found / judged).toBeGreaterThanOrEqual(fault === 'level' ? 0.9 : 0.95)
    expect(judged).toBeGreaterThan(0.7 * RUNS * AT_ONCE)
  })

  test('are not found in the counts as they were published', () => {
    const all = [...new Set([...stations.values()].flatMap(station => [...station.keys()]))].sort((a, b) => a - b)
    const faults = [...judge(all[0]!, all.at(-1)! + 1).values()].flatMap(({ faults }) => faults)
    const episodes = (...kinds: FaultKind[]) => faults.filter(({ fault }) => kinds.includes(fault)).length
    expect(episodes('stuck', 'repeated_days', 'shifted', 'implausible')).toBe(0)
    expect(episodes('level')).toBeLessThanOrEqual(5)
  })
})
