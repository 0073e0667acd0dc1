/** Status, doctor and the metrics name the same silent sensors. */
import pino from 'pino'
import { DataStatus } from '../../../cli/serve/metrics/data-status'
import { LocalDayCache } from '../../../db/calendar/local-day-cache'
import { dateOf, dayAt, dayNumber } from '../../../db/calendar/local-days'
import { readNodeRules } from '../../../db/calendar/zone-rules'
import { World } from '../../support/world'

jest.setTimeout(120_000)

const days = new LocalDayCache({ get: readNodeRules })

/** Returns the local date some days before today. */
const dateBefore = (zone: string, before: number): string =>
  dateOf(dayNumber(dayAt(readNodeRules(zone), Date.now() / 1000).date) - before)

const instantOf = (zone: string, before: number): number => days.day(zone, dayNumber(dateBefore(zone, before))).start

/** Returns the serials that status names, those that doctor names, and the figure of the metrics. */
async function readAnswers(world: World) {
  const status = (await world.runJson(['status'])).document.silent_sensors
  expect(status.rows).toHaveLength(status.count)
  const doctor = (await world.runJson(['doctor'])).document.rows as { sensor: string; fault: string }[]
  const metrics = new DataStatus(world.database.ownerUrl, 10_000, pino({ level: 'silent' }))
  metrics.collect()
  await metrics.close()
  const text = await metrics.collect().metrics()
  const valuesOf = (name: string) =>
    [...text.matchAll(new RegExp(`^${name}(?:{.*})? (\\d+)$`, 'gm'))].map(([, value]) => Number(value))
  const vendors = valuesOf('vendor_sensors_silent')
  expect(vendors.reduce((sum, value) => sum + value, 0)).toBe(valuesOf('sensors_silent')[0])
  return {
    status: status.rows.map(({ serial }: { serial: string }) => serial).sort(),
    doctor: doctor.flatMap(({ sensor, fault }) => (fault === 'silent' ? sensor : [])).sort(),
    metric: valuesOf('sensors_silent')[0],
  }
}

test('of sensors that moved, were removed, never counted, count days, or are far from UTC', async () => {
  const world = await World.open()
  try {
    const [berlin, kiritimati, pagoPago] = ['Europe/Berlin', 'Pacific/Kiritimati', 'Pacific/Pago_Pago'] as const
    const [there] = await world.make.together(async make => {
      const [company, other] = [await make.company(), await make.company()]
      const vendors = { hour: await make.vendor('hour'), day: await make.vendor('day') }
      /** A sensor of an asset of its own, with counts from eight days ago up to some days ago; 9: none. */
      const add = async (serial: string, last: number, time_zone: string = berlin, grain: 'hour' | 'day' = 'hour') => {
        const asset = await make.asset({ company, time_zone })
        const sensor = await make.sensor({ asset, serial, grain, vendor: vendors[grain] })
        for (let before = 8; before >= last; before--) await make.counts(sensor, dateBefore(time_zone, before), () => 9)
        return sensor
      }
      await add('counting', 1)
      await add('in-time', 2)
      await add('silent', 3)
      await add('never', 9)
      await add('removed', 5)
      await add('will-be-removed', 5)
      await add('daily', 2, berlin, 'day')
      await add('daily-silent', 3, berlin, 'day')
      for (const zone of [kiritimati, pagoPago]) {
        await add(`${zone}-in-time`, 2, zone)
        await add(`${zone}-silent`, 3, zone)
      }
      await add('moved', 5)
      await add('just-moved', 5)
      const setAside = await add('set-aside', 3)
      const period = [instantOf(berlin, 2), instantOf(berlin, 0)].map(at => new Date(at * 1000).toISOString())
      await make.setAside(setAside, period[0]!, period[1]!)
      return [
        await make.asset({ company: other, time_zone: kiritimati }),
        await make.sensor({ asset: null, serial: 'in-store', grain: 'hour', vendor: vendors.hour, installed_at: null }),
      ] as const
    })
    const changes = [
      ['serial,asset_id,installed_at', `moved,${there.id},${dateBefore(kiritimati, 4)}`],
      ['serial,asset_id,installed_at', `just-moved,${there.id},${dateBefore(kiritimati, 1)}`],
      ['serial,removed_at', `removed,${dateBefore(berlin, 4)}`, `will-be-removed,${dateBefore(berlin, -30)}`],
    ]
    for (const lines of changes)
      expect(await world.import('sensors', lines)).toMatchObject({ stored: lines.length - 1, errors: [] })
    const silent = ['daily-silent', 'moved', 'never', 'silent', 'will-be-removed']
    const expected = [...silent, `${kiritimati}-silent`, `${pagoPago}-silent`].sort()
    expect(await readAnswers(world)).toEqual({
      ...{ status: expected, doctor: expected, metric: expected.length },
    })
  } finally {
    await world.stop()
  }
})
