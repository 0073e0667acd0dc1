import { countIntervals, listDays, listStarts } from '../../../db/calendar/local-days'
import { readNodeRules } from '../../../db/calendar/zone-rules'

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
