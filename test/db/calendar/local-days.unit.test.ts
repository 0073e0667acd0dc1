import { countIntervals, isDate, listDays, listStarts } from '../../../db/calendar/local-days'
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
