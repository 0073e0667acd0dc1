import { createHash } from 'node:crypto'
import { dayNumber, daysOf, intervalsOf } from '../../../db/calendar/local-days'
import { MISSING } from '../../../db/calendar/packed-counts'
import { COMPANIES, FACES } from '../../../db/seeds/demo/assets'
import { demographicsOf, originsOf } from '../../../db/seeds/demo/audience'
import { type SensorDay, sensorDaysAt } from '../../../db/seeds/demo/counts'
import { DAYS, sensorsAt, VENDORS, windowOf } from '../../../db/seeds/demo/sensors'
import { weekdayOf } from '../../../db/seeds/demo/shapes'

const DAY = 86_400
/** Within its 90 days the clocks change in Europe, America and Australia. */
const NOW = Date.UTC(2026, 3, 20, 9, 30) / 1000

const ID = /^[a-z][a-z0-9]{7,31}$/

const days = [...sensorDaysAt(NOW)]

const sum = (counts: Iterable<number>): number => {
  let sum = 0
  for (const count of counts) if (count !== MISSING) sum += count
  return sum
}

const fingerprint = (days: Iterable<SensorDay>): string => {
  const hash = createHash('sha256')
  for (const { serial, face, date, counts } of days) hash.update(`${serial} ${face.id} ${date} ${counts.join()}`)
  return hash.digest('hex')
}

const daysOfFace = (name: string): SensorDay[] => days.filter(({ face }) => face.name === name)
const weekday = ({ date }: { date: string }): number => weekdayOf(dayNumber(date), date)
const average = (numbers: number[]): number => sum(numbers) / numbers.length

describe('the demo data', () => {
  it('is the same on every machine', () => {
    expect(fingerprint(days)).toMatchInlineSnapshot(
      `"b20534c7a9cda6f124b4184736bf5cb9feee78bcb5e7380500cc69dd28f05479"`,
    )
  })

  it('tells the same of a date whenever it is loaded', () => {
    const later = new Map([...sensorDaysAt(NOW + 40 * DAY)].map(day => [`${day.serial} ${day.date}`, day]))
    const common = days.filter(day => later.has(`${day.serial} ${day.date}`))
    expect(common.length).toBeGreaterThan(days.length / 2)
    for (const day of common) {
      const other = later.get(`${day.serial} ${day.date}`) as SensorDay
      expect(other.face.id).toBe(day.face.id)
      expect(Buffer.from(other.counts.buffer).equals(Buffer.from(day.counts.buffer))).toBe(true)
    }
    const dates = new Set(common.map(day => day.date))
    const overlap = days.filter(day => dates.has(day.date) && day.date > windowOf('Europe/Berlin', NOW + 40 * DAY)[0])
    expect(overlap.filter(day => !later.has(`${day.serial} ${day.date}`))).toEqual([])
  })

  it('has three companies, an own vendor and two others, and at least 60 assets, most with a legacy id', () => {
    expect(Object.keys(COMPANIES)).toHaveLength(3)
    expect(Object.values(VENDORS).map(({ own, grain }) => [own, grain])).toEqual([
      [true, 'minute'],
      [false, 'quarter_hour'],
      [false, 'hour'],
    ])
    expect(FACES.length).toBeGreaterThanOrEqual(60)
    const legacyIds = FACES.map(face => face.legacyId).filter(Boolean)
    expect(new Set(legacyIds).size).toBe(legacyIds.length)
    expect(legacyIds.length).toBeLessThan(FACES.length)
    const ids = [...FACES, ...Object.values(COMPANIES), ...Object.values(VENDORS), ...sensorsAt(NOW)].map(
      ({ id }) => id,
    )
    expect(new Set(ids).size).toBe(ids.length)
    for (const id of ids) expect(id).toMatch(ID)
  })

  it('has assets of each status, in at least six time zones, with sensors of both kinds of vendors and without any', () => {
    expect(new Set(FACES.map(face => face.status))).toEqual(new Set(['active', 'inactive', 'archived']))
    expect(new Set(FACES.map(face => face.city.zone)).size).toBeGreaterThanOrEqual(6)
    expect(FACES.some(face => face.sensors.length === 0)).toBe(true)
    expect(FACES.some(face => face.sensors.includes('m') && face.sensors.includes('q'))).toBe(true)
  })

  it.each(['2026-01-10', '2026-02-14', '2026-02-15', '2026-02-16', '2026-04-20', '2026-07-01', '2026-12-31'])(
    'has sensors in every billable state, a moved and a removed one, when loaded on %s',
    date => {
      const now = Date.parse(date) / 1000
      const sensors = sensorsAt(now)
      expect(new Set(sensors.map(sensor => sensor.state))).toEqual(
        new Set(['pending', 'billable', 'suspended', 'retired']),
      )
      expect(new Set(sensors.map(sensor => sensor.condition))).toEqual(new Set(['well', 'patchy', 'silent', 'new']))
      expect(sensors.some(sensor => new Set(sensor.posts.map(post => post.face.id)).size > 1)).toBe(true)
      const [from] = windowOf('Europe/Berlin', now)
      expect(sensors.some(sensor => sensor.posts.some(post => post.until && post.until > from))).toBe(true)
      for (const { posts } of sensors) for (const post of posts.slice(1)) expect(post.from > from).toBe(true)
    },
  )

  it('covers 90 days up to yesterday by the clock of each asset', () => {
    const instants = [Date.UTC(2026, 5, 1, 1), Date.UTC(2026, 5, 1, 13), Date.UTC(2026, 5, 1, 23)].map(ms => ms / 1000)
    expect(instants.map(now => windowOf('Australia/Sydney', now)[1])).toEqual([
      '2026-05-31',
      '2026-05-31',
      '2026-06-01',
    ])
    expect(instants.map(now => windowOf('America/New_York', now)[1])).toEqual([
      '2026-05-30',
      '2026-05-31',
      '2026-05-31',
    ])
    const [from, to] = windowOf('Asia/Kathmandu', NOW)
    expect(dayNumber(to) - dayNumber(from) + 1).toBe(DAYS)
    expect(daysOfFace('Thamel Gate').at(-1)?.date).toBe(to)
  })

  it('has one count a native interval of each local day, those of clock changes included', () => {
    const minutes = new Map(sensorsAt(NOW).map(sensor => [sensor.serial, sensor.vendor.minutes]))
    const lengths = new Set<number>()
    for (const { serial, face, date, counts } of days) {
      const [day] = daysOf(face.city.zone, date, date)
      expect(day && intervalsOf(day, minutes.get(serial) as number)).toBe(counts.length)
      lengths.add(counts.length)
    }
    expect([...lengths].sort((a, b) => a - b)).toEqual([23, 24, 25, 92, 96, 100, 1380, 1440, 1470, 1500])
  })

  it('misses intervals, hours and whole days, but not many', () => {
    const all = sum(days.map(day => day.counts.length))
    const missing = sum(days.map(day => day.counts.filter(count => count === MISSING).length))
    expect(missing / all).toBeGreaterThan(0.001)
    expect(missing / all).toBeLessThan(0.03)
    const dates = new Set(daysOfFace('Shoreditch High Street').map(day => day.date))
    expect(dates.size).toBeLessThan(DAYS)
    expect(dates.size).toBeGreaterThan(DAYS * 0.8)
  })

  it('observes nobody at night where the doors are closed, and somebody at noon', () => {
    for (const { counts } of daysOfFace('Mall am Gesundbrunnen').filter(day => day.counts.length === 1440)) {
      expect(sum(counts.slice(0, 300))).toBe(0)
      expect(sum(counts.slice(720, 780))).not.toBe(0)
    }
  })

  it('has commuters on weekdays, shoppers on Saturdays and night owls on weekends', () => {
    const dayTotals = (name: string, wanted: (day: number) => boolean): number =>
      average(daysOfFace(name).flatMap(day => (wanted(weekday(day)) ? [sum(day.counts)] : [])))
    const onWeekdays = (day: number): boolean => day < 5
    const onSaturday = (day: number): boolean => day === 5
    expect(dayTotals('Altona Busbahnhof', onWeekdays)).toBeGreaterThan(dayTotals('Altona Busbahnhof', onSaturday) * 1.2)
    expect(dayTotals('Pitt Street Mall', onSaturday)).toBeGreaterThan(dayTotals('Pitt Street Mall', onWeekdays) * 1.2)
    expect(dayTotals('Thamel Gate', onSaturday)).toBeGreaterThan(dayTotals('Thamel Gate', onWeekdays) * 1.4)
    const rush = daysOfFace('Avenida Paulista 1578').filter(day => onWeekdays(weekday(day)))
    const during = (hour: number): number => average(rush.map(day => sum(day.counts.slice(hour * 60, hour * 60 + 60))))
    expect(during(8)).toBeGreaterThan(during(12) * 1.5)
    expect(during(12)).toBeGreaterThan(during(3) * 10)
  })

  it('lets about as many people pass on an average day as the face promises', () => {
    for (const face of FACES.filter(face => face.sensors.join() === 'm')) {
      const ratio = average(daysOfFace(face.name).map(day => sum(day.counts))) / face.daily
      expect(ratio).toBeGreaterThan(0.7)
      expect(ratio).toBeLessThan(1.3)
    }
  })

  it('knows homes and people of nearly all impressions of a day and never of more', () => {
    const wrong: unknown[] = []
    for (const { face, date, counts } of days.filter(({ face }) => face.sensors.length === 1 && face.daily > 1000)) {
      const impressions = sum(counts)
      const homes = [...originsOf({ face, date, impressions })]
      const people = [...demographicsOf({ face, date, impressions })]
      for (const rows of face.city.homes.length > 0 ? [homes, people] : [people]) {
        const known = sum(rows.map(row => row.at(-1) as number))
        const isNearlyAll = known <= impressions && known >= 0.9 * impressions - rows.length
        if (!isNearlyAll) wrong.push([face.name, date, impressions, known])
      }
    }
    expect(wrong).toEqual([])
  })
})
