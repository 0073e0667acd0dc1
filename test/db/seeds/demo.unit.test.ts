import { createHash } from 'node:crypto'
import { ASSETS } from '../../../db/seeds/demo/assets'
import { sensorDays } from '../../../db/seeds/demo/counts'
import { dateBefore, sensorsAt } from '../../../db/seeds/demo/sensors'

/** The clocks change in Europe, America and Australia on the DAYS before. */
const DAYS = 45
const NOW = Date.UTC(2026, 3, 20, 9, 30) / 1000

const days = [...sensorDays(sensorsAt(NOW), NOW, DAYS)]

const daysAt = (name: string) => days.filter(({ asset }) => asset.name === name)

describe('the demo data', () => {
  test('is the same on every machine', () => {
    const hash = createHash('sha256')
    for (const { serial, asset, date, counts } of days) hash.update(`${serial} ${asset.id} ${date} ${counts.join()}`)
    expect(hash.digest('hex')).toMatchInlineSnapshot(
      `"d1da027c0adb4b734b007b9d665e31724b85db81f020ab2fd7deb754de8b1cb2"`,
    )
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
})
