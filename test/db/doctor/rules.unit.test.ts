/** The rules of `doctor` on counts that are generated, as its documentation states them. */
import { LocalDayCache } from '../../../db/calendar/local-day-cache'
import { dayNumber } from '../../../db/calendar/local-days'
import { MISSING } from '../../../db/calendar/packed-counts'
import { readNodeRules } from '../../../db/calendar/zone-rules'
import { CompanyJudge, type Verdict } from '../../../db/doctor/company-judge'
import type { FaultKind } from '../../../db/doctor/fault'
import { SensorCounts } from '../../../db/doctor/sensor-counts'

const days = new LocalDayCache(new Map([['Etc/UTC', readNodeRules('Etc/UTC')]]))

/** Days of counts, of which the last three are judged: 56 before them. */
const DAYS = 59
const FIRST = dayNumber('2026-03-02')
const WINDOW = FIRST + DAYS - 3

type Counts = number[][]

let seed = 0
const random = (): number => {
  seed = (seed * 48_271) % 2_147_483_647
  return seed / 2_147_483_647
}

/** By day and quarter hour: a night, a morning and an evening, and noise as counts have it. */
function countsOf(scale: number): Counts {
  return Array.from({ length: DAYS }, (_, day) =>
    Array.from({ length: 96 }, (_, quarter) => {
      const hour = quarter / 4
      const usual = scale * (2 + 60 * Math.exp(-((hour - 8) ** 2) / 4) + 90 * Math.exp(-((hour - 18) ** 2) / 8))
      const weekend = (day + 1) % 7 < 2 ? 0.6 : 1
      const noise = (random() + random() + random() - 1.5) * 2
      return Math.max(0, Math.round(usual * weekend + noise * Math.sqrt(usual)))
    }),
  )
}

/** Judges sensors of one company, of which the first is changed in its last three days. */
function judge(sensors: number, change: (last: Counts, all: Counts) => void = () => {}, scale = 1): Verdict[] {
  seed = 7
  const judge = new CompanyJudge(WINDOW, WINDOW + 3)
  for (let i = 0; i < sensors; i++) {
    const counts = countsOf(i === 0 ? scale : 1 + i / 4)
    if (i === 0) change(counts.slice(-3), counts)
    const sensor = new SensorCounts(FIRST, DAYS, 24)
    for (const [day, ofDay] of counts.entries()) {
      sensor.add(days.day('Etc/UTC', FIRST + day), 15, Float64Array.from(ofDay))
    }
    judge.add(sensor)
  }
  return judge.finish()
}

/** `fault from – to`, by days of the window. */
const brief = ({ faults }: Verdict) => faults.map(({ fault, from, to }) => `${fault} ${from - WINDOW} – ${to - WINDOW}`)

const set = (day: number[], value: number, from = 0, to = 96) => day.fill(value, from, to)

const each = (last: Counts, of: (count: number) => number) => {
  for (const day of last) day.splice(0, 96, ...day.map(of))
}

test.each<[string, (last: Counts, all: Counts) => void, string]>([
  ['a day that is the one before', (last, all) => last[0]!.splice(0, 96, ...all.at(-4)!), 'repeated_days 0 – 0'],
  ['counts that doubled', last => each(last, count => count * 2), 'level 0 – 2'],
])('%s: the sensor is named with the fault and its days, and no other one is', (_, change, expected) => {
  const [changed, ...others] = judge(8, change)
  expect(brief(changed!)).toEqual([expected])
  expect(others.flatMap(brief)).toEqual([])
})

test('counts as usual have no fault, and all of them are judged', () => {
  const verdicts = judge(8)
  expect(verdicts.flatMap(brief)).toEqual([])
  expect(verdicts.flatMap(({ unjudged }) => unjudged)).toEqual([])
})

test('a level is judged beside five other sensors or more, which show what the weather does', () => {
  const halve = (last: Counts) => each(last, count => Math.round(count / 2))
  const [alone] = judge(5, halve)
  expect(brief(alone!)).toEqual([])
  expect(alone!.unjudged).toContainEqual({ faults: ['level'], reason: expect.any(String) })
  expect(brief(judge(6, halve)[0]!)).toEqual(['level 0 – 2'])
})

test.each<[FaultKind, string, (last: Counts) => void]>([
  ['zero', 'where there are none', last => set(last[1]!, MISSING, 28, 80)],
  ['zero', 'at night, when few are usual', last => set(last[1]!, 0, 4, 16)],
  ['stuck', 'for five intervals', last => set(last[1]!, 40, 40, 45)],
])('%s is not said of counts %s', (_fault, _when, change) => {
  expect(brief(judge(8, change, 0.5)[0]!)).toEqual([])
})
