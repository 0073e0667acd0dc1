import { intervalStarts, LocalDayCache } from '../../../db/calendar/local-day-cache'
import { dayNumber } from '../../../db/calendar/local-days'
import { readNodeRules } from '../../../db/calendar/zone-rules'

const days = new LocalDayCache({ get: readNodeRules })
const at = (text: string): number => Date.parse(text) / 1000
const secondOf = (time: string): number => Number(time.slice(0, 2)) * 3600 + Number(time.slice(3)) * 60

describe('a local time', () => {
  test.each([
    ['Europe/Berlin', '2026-03-01', '12:00', ['2026-03-01T11:00Z']],
    ['Europe/Berlin', '2026-03-29', '02:30', []],
    ['Europe/Berlin', '2026-03-29', '03:00', ['2026-03-29T01:00Z']],
    ['Europe/Berlin', '2026-10-25', '02:30', ['2026-10-25T00:30Z', '2026-10-25T01:30Z']],
    ['Australia/Lord_Howe', '2026-04-05', '01:45', ['2026-04-04T14:45Z', '2026-04-04T15:15Z']],
    ['America/Havana', '2026-03-08', '00:30', []],
    ['America/Havana', '2026-11-01', '00:30', ['2026-11-01T04:30Z', '2026-11-01T05:30Z']],
    ['Asia/Kathmandu', '2026-03-01', '00:00', ['2026-02-28T18:15Z']],
  ])('in %s, %s at %s, is this instant, none or two', (zone, date, time, instants) => {
    expect(days.findInstants(zone, dayNumber(date), secondOf(time))).toEqual(instants.map(at))
  })
})

describe('a local day', () => {
  test('is unambiguous if no clock change affects it', () => {
    const isUnambiguous = (date: string) => days.day('Europe/Berlin', dayNumber(date)).unambiguous
    expect(['2026-03-28', '2026-03-29', '2026-03-30', '2026-10-25'].map(isUnambiguous)).toEqual([
      true,
      false,
      true,
      false,
    ])
  })

  test('is found by any of its instants', () => {
    const dateAt = (zone: string, instant: string) => days.dayAt(zone, at(instant)).date
    expect(dateAt('Europe/Berlin', '2026-10-24T22:00Z')).toBe('2026-10-25')
    expect(dateAt('Europe/Berlin', '2026-10-25T22:59:59Z')).toBe('2026-10-25')
    expect(dateAt('Europe/Berlin', '2026-10-25T23:00Z')).toBe('2026-10-26')
    expect(dateAt('Pacific/Kiritimati', '2026-01-01T11:00Z')).toBe('2026-01-02')
  })

  test('of a clock change has intervals as long as it lasts', () => {
    const day = days.day('Europe/Berlin', dayNumber('2026-03-29'))
    expect(intervalStarts(day, 1)).toHaveLength(1380)
    expect(intervalStarts(day, 60)).toHaveLength(23)
  })
})
