import { countIntervals, type Day, listDays } from '../../../db/calendar/local-days'
import { packHours } from '../../../db/calendar/packed-counts'
import { readNodeRules } from '../../../db/calendar/zone-rules'
import { Profile } from '../../../resolvers/json/profile-json'
import { TypicalWeek } from '../../../resolvers/series/profile'

interface Hours {
  days: Day[]
  /** By hour of the range. */
  sums: number[]
  observed: number[]
}

/** Returns the hours of a range, each of which counts 10 impressions. */
function hoursOf(timeZone: string, fromDate: string, toDate: string): Hours {
  const days = listDays(readNodeRules(timeZone), fromDate, toDate)
  const { length } = days.flatMap(day => Array(countIntervals(day, 60)).fill(0))
  return { days, sums: Array(length).fill(10), observed: Array(length).fill(1) }
}

function computeProfile({ days, ...hours }: Hours, seconds: number | null = null): Profile {
  let first = 0
  const sensorDays = days.flatMap((day, index) => {
    const next = first + countIntervals(day, 60)
    const [sums, observed] = [hours.sums.slice(first, next), Uint8Array.from(hours.observed.slice(first, next))]
    first = next
    return sums.length === 0 ? [] : { day: index, nativeMinutes: 60, packed: packHours(sums, observed) }
  })
  return new Profile(new TypicalWeek(days, sensorDays.reverse()), seconds)
}

const at = (rows: ReturnType<typeof computeProfile>['rows'], weekday: number, hour: number) =>
  rows[(weekday - 1) * 24 + hour] as (typeof rows)[number]

test('a week has one hour of each kind, from Monday 00 to Sunday 23', () => {
  const { rows, total, average } = computeProfile(hoursOf('Europe/Berlin', '2026-06-01', '2026-06-07'))
  expect(rows).toHaveLength(168)
  expect(rows.map(({ weekday, hour }) => (weekday - 1) * 24 + hour)).toEqual(Array.from({ length: 168 }, (_, i) => i))
  expect(new Set(rows.map(({ hoursObserved }) => hoursObserved))).toEqual(new Set([1]))
  expect(rows[0]).toEqual({
    weekday: 1,
    hour: 0,
    averageImpressions: 10,
    hoursObserved: 1,
    share: 0.006,
    audience: null,
  })
  expect([total, average]).toEqual([1680, 10])
})

test('a repeated hour counts twice, and a skipped hour not at all', () => {
  const autumn = computeProfile(hoursOf('Europe/Berlin', '2026-10-25', '2026-10-25')).rows
  expect(at(autumn, 7, 2)).toMatchObject({ hoursObserved: 2, averageImpressions: 10 })
  expect(at(autumn, 7, 3)).toMatchObject({ hoursObserved: 1 })
  const spring = computeProfile(hoursOf('Europe/Berlin', '2026-03-29', '2026-03-29')).rows
  expect(at(spring, 7, 2)).toEqual({
    weekday: 7,
    hour: 2,
    averageImpressions: null,
    hoursObserved: 0,
    share: 0,
    audience: null,
  })
  expect(at(spring, 7, 3)).toMatchObject({ hoursObserved: 1 })
})

test('where clocks change by half an hour, the shorter hour counts towards the hour that it begins in', () => {
  const autumn = computeProfile(hoursOf('Australia/Lord_Howe', '2026-04-05', '2026-04-05')).rows
  expect(at(autumn, 7, 1)).toMatchObject({ hoursObserved: 2 })
  const spring = computeProfile(hoursOf('Australia/Lord_Howe', '2026-10-04', '2026-10-04')).rows
  expect(at(spring, 7, 2)).toMatchObject({ hoursObserved: 1 })
  expect(spring.reduce((sum, { hoursObserved }) => sum + hoursObserved, 0)).toBe(24)
})

test('an hour without data is null, and an observed zero is 0', () => {
  const series = hoursOf('Asia/Kathmandu', '2026-06-01', '2026-06-01')
  series.observed[3] = 0
  series.sums[4] = 0
  const { rows } = computeProfile(series)
  expect(at(rows, 1, 3)).toEqual({
    weekday: 1,
    hour: 3,
    averageImpressions: null,
    hoursObserved: 0,
    share: 0,
    audience: null,
  })
  expect(at(rows, 1, 4)).toEqual({
    weekday: 1,
    hour: 4,
    averageImpressions: 0,
    hoursObserved: 1,
    share: 0,
    audience: null,
  })
  expect(at(rows, 1, 5).share).toBe(0.0455)
  expect(at(rows, 2, 5).hoursObserved).toBe(0)
})

test.each(['Europe/Berlin', 'America/Havana', 'Pacific/Apia', 'Africa/Casablanca', 'America/St_Johns'])(
  'each hour of a year in %s is in the slot that its local time names',
  zone => {
    const range = ['2011-02-01', '2012-01-31'] as const
    const expected = new Int32Array(168)
    const format = new Intl.DateTimeFormat('en-US', {
      ...{ timeZone: zone, weekday: 'short', hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' },
    })
    const series = hoursOf(zone, ...range)
    const names = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']
    for (const day of listDays(readNodeRules(zone), ...range)) {
      let previous = ''
      for (let instant = day.start; instant < day.end; instant += 900) {
        const parts = Object.fromEntries(format.formatToParts(instant * 1000).map(({ type, value }) => [type, value]))
        const offset = day.zoneIntervals.findLast(({ at }) => at <= instant)?.offset
        const hour = `${parts.weekday} ${parts.hour} ${offset}`
        if (hour !== previous) (expected[names.indexOf(parts.weekday as string) * 24 + Number(parts.hour)] as number)++
        previous = hour
      }
    }
    expect(computeProfile(series).rows.map(({ hoursObserved }) => hoursObserved)).toEqual([...expected])
  },
)

test('the audience of some seconds is the average as shown, times the seconds, by the seconds of an hour', () => {
  const series = hoursOf('Asia/Kathmandu', '2026-06-01', '2026-06-22')
  // Mondays at 0: 1, 0, 0 and 0.
  for (const hour of [7 * 24, 14 * 24, 21 * 24]) series.sums[hour] = 0
  series.sums[0] = 1
  series.sums[1] = 12_346
  const { rows } = computeProfile(series, 9)
  expect(at(rows, 1, 0)).toMatchObject({ averageImpressions: 0.25, audience: 0.0006 })
  expect(at(rows, 1, 1)).toMatchObject({ averageImpressions: 3094, audience: 7.735 })
  expect(at(rows, 3, 5)).toMatchObject({ averageImpressions: 10, audience: 0.025 })
  // A half is rounded up: 0.25 × 18 ÷ 3600 = 0.00125.
  expect(at(computeProfile(series, 18).rows, 1, 0).audience).toBe(0.0013)
})
