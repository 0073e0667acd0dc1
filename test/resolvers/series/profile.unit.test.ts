import { countIntervals, type Day, listDays } from '../../../db/calendar/local-days'
import { packHours } from '../../../db/calendar/packed-counts'
import { readNodeRules } from '../../../db/calendar/zone-rules'
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

function computeProfile({ days, ...hours }: Hours, seconds: number | null = null) {
  let first = 0
  const sensorDays = days.flatMap((day, index) => {
    const next = first + countIntervals(day, 60)
    const [sums, observed] = [hours.sums.slice(first, next), Uint8Array.from(hours.observed.slice(first, next))]
    first = next
    return sums.length === 0 ? [] : { day: index, nativeMinutes: 60, packed: packHours(sums, observed) }
  })
  return new TypicalWeek(days, sensorDays.reverse()).rowsWith(seconds)
}

test.each([
  'Europe/Berlin',
  'Australia/Lord_Howe',
  'America/Havana',
  'Pacific/Apia',
  'Africa/Casablanca',
  'America/St_Johns',
])('each hour of a year in %s is in the slot that its local time names', zone => {
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
  expect(computeProfile(series).map(({ hoursObserved }) => hoursObserved)).toEqual([...expected])
})

test('the audience of some seconds is the average as shown, times the seconds, by the seconds of an hour', () => {
  const series = hoursOf('Asia/Kathmandu', '2026-06-01', '2026-06-22')
  // Mondays at 0: 1, 0, 0 and 0.
  for (const hour of [7 * 24, 14 * 24, 21 * 24]) series.sums[hour] = 0
  series.sums[0] = 1
  series.sums[1] = 12_346
  const rows = computeProfile(series, 9)
  expect(rows[0]).toMatchObject({ averageImpressions: 0.25, audience: 0.0006 })
  expect(rows[1]).toMatchObject({ averageImpressions: 3094, audience: 7.735 })
  // A half is rounded up: 0.25 × 18 ÷ 3600 = 0.00125.
  expect(computeProfile(series, 18)[0]?.audience).toBe(0.0013)
})
