import { createHash } from 'node:crypto'
import { countIntervals, listDays } from '../../../db/calendar/local-days'
import { MISSING } from '../../../db/calendar/packed-counts'
import { readNodeRules } from '../../../db/calendar/zone-rules'
import { ASSETS } from '../../../db/seeds/demo/assets'
import { generateDemographics, generateOrigins } from '../../../db/seeds/demo/audience'
import { sensorDays } from '../../../db/seeds/demo/counts'
import { dateBefore, sensorsAt } from '../../../db/seeds/demo/sensors'

/** The clocks change in Europe, America and Australia on the DAYS before. */
const DAYS = 45
const NOW = Date.UTC(2026, 3, 20, 9, 30) / 1000

const days = [...sensorDays(sensorsAt(NOW), NOW, DAYS)]

const total = (counts: Iterable<number>): number => {
  let total = 0
  for (const count of counts) if (count !== MISSING) total += count
  return total
}
const daysAt = (name: string) => days.filter(({ asset }) => asset.name === name)

describe('the demo data', () => {
  test('is the same on every machine', () => {
    const hash = createHash('sha256')
    for (const { serial, asset, date, counts } of days) hash.update(`${serial} ${asset.id} ${date} ${counts.join()}`)
    expect(hash.digest('hex')).toMatchInlineSnapshot(
      `"d1da027c0adb4b734b007b9d665e31724b85db81f020ab2fd7deb754de8b1cb2"`,
    )
  })

  test('is the same for a date whenever it is loaded, except around the move of a sensor', () => {
    const later = new Map(
      [...sensorDays(sensorsAt(NOW + 20 * 86_400).slice(0, 20), NOW + 20 * 86_400, DAYS)].map(day => [
        `${day.serial} ${day.date}`,
        day,
      ]),
    )
    const common = days.filter(({ serial, date }) => later.has(`${serial} ${date}`))
    expect(common.length).toBeGreaterThan(400)
    const moved = sensorsAt(NOW).find(({ installations }) => installations.length > 1)
    const differing = common.filter(({ serial, date, counts }) => {
      const other = later.get(`${serial} ${date}`)?.counts
      return serial !== moved?.serial && counts.some((count, i) => count !== other?.[i])
    })
    expect(differing).toEqual([])
  })

  test.each(['2026-01-01', '2026-01-02', '2026-02-28', '2026-12-31'])(
    'has a sensor that has counts on two assets of one company, when loaded on %s',
    date => {
      const now = Date.parse(`${date}T12:00Z`) / 1000
      const moving = sensorsAt(now).filter(({ condition }) => condition === '>')
      const moved = [...sensorDays(moving, now, 90)]
      expect(new Set(moved.map(({ asset }) => asset.name))).toEqual(
        new Set(['Kottbusser Tor Nord', 'Hermannplatz Süd']),
      )
    },
  )

  test('has days up to yesterday in the time zone of each asset', () => {
    const dates = [...new Set(daysAt('Thamel Gate').map(({ date }) => date))].sort()
    expect([dates[0], dates.at(-1)]).toEqual(['2026-03-06', '2026-04-19'])
    const sydney = ASSETS.find(({ name }) => name === 'Pitt Street Mall')
    const yesterdays = ['01:00', '13:00', '23:00'].map(time =>
      dateBefore(Date.parse(`2026-06-01T${time}Z`) / 1000, sydney as (typeof ASSETS)[number], 1),
    )
    expect(yesterdays).toEqual(['2026-05-31', '2026-05-31', '2026-06-01'])
  })

  test('has one count for each native interval, also on days of clock changes', () => {
    const minutes = new Map(sensorsAt(NOW).map(sensor => [sensor.serial, sensor.minutes]))
    const lengths = new Set<number>()
    for (const { serial, asset, date, counts } of days) {
      const [day] = listDays(readNodeRules(asset.time_zone), date, date)
      expect(day && countIntervals(day, minutes.get(serial) as number)).toBe(counts.length)
      lengths.add(counts.length)
    }
    expect([...lengths].sort((a, b) => a - b)).toEqual([23, 24, 25, 92, 96, 100, 1380, 1440, 1470, 1500])
  })

  test('has origins and demographics of nearly all impressions of a day, but never of more', () => {
    for (const asset of ASSETS) {
      for (const rows of [
        generateOrigins(asset, '2026-04-19', 10_000),
        generateDemographics(asset, '2026-04-19', 10_000),
      ]) {
        const known = total(rows.map(({ impressions }) => impressions as number))
        if (rows.length > 0) expect(known).toBeGreaterThan(9_000)
        expect(known).toBeLessThanOrEqual(10_000)
      }
    }
  })
})
