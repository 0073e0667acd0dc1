import fc from 'fast-check'
import { Temporal } from 'temporal-polyfill'
import { listDays } from '../../../db/calendar/local-days'
import { readNodeRules } from '../../../db/calendar/zone-rules'
import { CLOCK, offsetText, timestamps } from '../../../resolvers/series/timestamps'

test.each([
  [0, '+00:00'],
  [7200, '+02:00'],
  [20_700, '+05:45'],
  [-9000, '-02:30'],
  [50_400, '+14:00'],
  [3208, '+00:53'],
  [-28_378, '-07:52'],
])('an offset of %i seconds is written %s', (seconds, text) => {
  expect(offsetText(seconds)).toBe(text)
})

test('the clock has every minute of a day', () => {
  expect(CLOCK).toHaveLength(1440)
  expect([CLOCK[0], CLOCK[61], CLOCK[1439]]).toEqual(['00:00', '01:01', '23:59'])
})

test('timestamps equal those of Temporal, also on days with clock changes', () => {
  const days = (
    [
      ['Europe/Berlin', '2026-03-28', '2026-03-30'],
      ['Europe/Berlin', '2026-10-24', '2026-10-26'],
      ['Australia/Lord_Howe', '2026-04-05', '2026-04-05'],
      ['America/Havana', '2026-11-01', '2026-11-01'],
      ['Asia/Kathmandu', '1985-12-31', '1986-01-01'],
    ] as const
  ).flatMap(([zone, from, to]) => listDays(readNodeRules(zone), from, to).map(day => ({ zone, day })))
  fc.assert(
    fc.property(fc.constantFrom(...days), fc.array(fc.nat({ max: 86_399 })), ({ day, zone }, seconds) => {
      const inDay = seconds.filter(second => day.start + second < day.end).sort((a, b) => a - b)
      const expected = inDay.map(second =>
        Temporal.Instant.fromEpochMilliseconds((day.start + second) * 1000)
          .toZonedDateTimeISO(zone)
          .toString({ timeZoneName: 'never', smallestUnit: 'second' }),
      )
      expect(timestamps(day, inDay)).toEqual(expected)
    }),
  )
})
