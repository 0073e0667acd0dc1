import { createHash } from 'node:crypto'
import { sensorDays } from '../../imports/demo/counts'
import { ASSETS, dateBefore } from '../../imports/demo/network'

/** The clocks change in Europe, America and Australia on the DAYS before. */
const DAYS = 45
const NOW = Date.UTC(2026, 3, 20, 9, 30) / 1000

const days = [...sensorDays(NOW, DAYS)]

const daysAt = (name: string) => days.filter(({ asset }) => asset.name === name)

describe('the demo data', () => {
  test('is the same on every machine', () => {
    const hash = createHash('sha256')
    for (const { sensor, asset, date, counts } of days)
      hash.update(`${sensor.serial} ${asset.id} ${date} ${counts.join()}`)
    expect(hash.digest('hex')).toMatchInlineSnapshot(
      `"86a35ddaebc124b34606ed4327b1fe38429418c6a830c43b149be6a88f367915"`,
    )
  })

  test.each(['2026-01-01', '2026-01-02', '2026-02-28', '2026-12-31'])(
    'has a sensor that has counts on two assets of one company, when loaded on %s',
    date => {
      const now = Date.parse(`${date}T12:00Z`) / 1000
      const moved = [...sensorDays(now, 90)].filter(({ sensor }) => sensor.next)
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
