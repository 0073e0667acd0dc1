import { LocalDayCache } from '../../../db/calendar/local-day-cache'
import { countIntervals, dayNumber, isDate, listDays, listStarts } from '../../../db/calendar/local-days'
import { isTimeZone, readNodeRules } from '../../../db/calendar/zone-rules'

const dayOf = (zone: string, date: string) => {
  const [day] = listDays(readNodeRules(zone), date, date)
  if (!day) throw new Error('no day')
  return day
}

const minutes = (zone: string, date: string) => {
  const day = dayOf(zone, date)
  return (day.end - day.start) / 60
}

describe('a local day', () => {
  test.each([
    ['Europe/Berlin', '2026-03-29', 1380, 23],
    ['Europe/Berlin', '2026-10-25', 1500, 25],
    ['America/New_York', '2026-03-08', 1380, 23],
    ['America/New_York', '2026-11-01', 1500, 25],
    ['Australia/Lord_Howe', '2026-10-04', 1410, 24],
    ['Australia/Lord_Howe', '2026-04-05', 1470, 25],
    ['Asia/Kathmandu', '2026-04-05', 1440, 24],
    ['America/Havana', '2026-03-08', 1380, 23],
    ['Pacific/Apia', '2011-12-30', 0, 0],
    ['Asia/Kathmandu', '1986-01-01', 1425, 24],
  ])('of %s on %s has %i minutes and %i clock hours', (zone, date, length, hours) => {
    expect(minutes(zone, date)).toBe(length)
    expect(countIntervals(dayOf(zone, date), 1)).toBe(length)
    expect(listStarts(dayOf(zone, date), 60)).toHaveLength(hours)
    expect(countIntervals(dayOf(zone, date), 60)).toBe(hours)
  })

  test('begins an hour at the half-hour clock change of Lord Howe Island', () => {
    expect(listStarts(dayOf('Australia/Lord_Howe', '2026-10-04'), 60).slice(1, 4)).toEqual([3600, 7200, 9000])
    expect(listStarts(dayOf('Australia/Lord_Howe', '2026-04-05'), 60).slice(1, 4)).toEqual([3600, 7200, 9000])
  })
})

test('a date is a real day of the calendar', () => {
  const dates = ['2024-02-29', '0001-01-01', '9999-12-31', '1850-06-30']
  const others = '2026-02-29 0000-01-01 2026-13-01 2026-1-1 2026-00-10 20260101 2026-01-01T00:00 '.split(' ')
  expect([...dates, ...others].filter(isDate)).toEqual(dates)
})

test('a time zone is an IANA name, spelled as IANA spells it', () => {
  const zones = 'Europe/Berlin UTC Australia/Lord_Howe Asia/Katmandu Etc/GMT+5 America/Argentina/Buenos_Aires'.split(
    ' ',
  )
  const others = ['europe/berlin', '+01:00', 'Mars/Olympus', '', 'Europe/Berlin ', 'CEST']
  expect([...zones, ...others].filter(isTimeZone)).toEqual(zones)
})

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
  test('is regular if no clock change affects it', () => {
    const isRegular = (date: string) => days.day('Europe/Berlin', dayNumber(date)).regular
    expect(['2026-03-28', '2026-03-29', '2026-03-30', '2026-10-25'].map(isRegular)).toEqual([true, false, true, false])
  })

  test('is found by any of its instants', () => {
    const dateAt = (zone: string, instant: string) => days.dayAt(zone, at(instant)).date
    expect(dateAt('Europe/Berlin', '2026-10-24T22:00Z')).toBe('2026-10-25')
    expect(dateAt('Europe/Berlin', '2026-10-25T22:59:59Z')).toBe('2026-10-25')
    expect(dateAt('Europe/Berlin', '2026-10-25T23:00Z')).toBe('2026-10-26')
    expect(dateAt('Pacific/Kiritimati', '2026-01-01T11:00Z')).toBe('2026-01-02')
  })
})
