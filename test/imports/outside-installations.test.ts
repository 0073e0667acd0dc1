import { Counting } from '../support/counting'
import { refused, stored, unchanged } from '../support/outcomes'

describe('counts outside of the installations of their sensor', () => {
  let counting: Counting
  beforeAll(async () => {
    counting = await Counting.open()
  })
  afterAll(() => counting.world.stop())

  const installed = { installed_at: '2026-01-10T10:00:00Z', removed_at: '2026-01-20T12:07:00Z' }
  const bounds = async () => {
    const rows = await counting.world.rows('SELECT installed_at, removed_at FROM sensors')
    return Object.values(rows[0] ?? {}).map(instant => new Date(instant as string).toISOString())
  }

  test('are errors before the sensor was installed and after it was removed', async () => {
    await counting.sensorIn('Europe/Berlin', 'quarter_hour', installed)
    const rows = [
      '2026-01-10T10:45,1',
      '2026-01-10T11:00,2',
      '2026-01-20T13:00,3',
      '2026-01-20T13:15,4',
      '2026-02-01T00:00,5',
    ]
    expect(await counting.give(rows)).toEqual(
      refused(5, [
        '2: start 2026-01-10T10:45+01:00 is before the sensor was installed, 2026-01-10T11:00+01:00: correct installed_at of the sensor, or give --extend-installations',
        '5: start 2026-01-20T13:15+01:00 is not before the sensor was removed, 2026-01-20T13:07+01:00: correct removed_at of the sensor, or give --extend-installations',
        /^6: start 2026-02-01T00:00/,
      ]),
    )
    // The interval that contains the removal starts before it.
    expect(await counting.give(rows, { skipFaulty: true })).toMatchObject({ stored: 2, rejected: 3 })
    expect(await counting.give(rows.map(row => row.replace(/,\d$/, ',')))).toEqual(unchanged(5))
  })

  test('extend the first and the last installation exactly, with --extend-installations', async () => {
    await counting.sensorIn('Europe/Berlin', 'quarter_hour', installed)
    const rows = [
      '2026-01-09T10:45,1',
      '2026-01-08T10:45,',
      '2026-01-09T10:30,2',
      '2026-01-20T13:15,3',
      '2026-02-01T00:00,4',
    ]
    const options = { extendInstallations: true, maxBufferedCounts: 1 }
    expect(await counting.give(rows, options)).toEqual({ ...stored(4), read: 5, unchanged: 1 })
    expect(await bounds()).toEqual(['2026-01-09T09:30:00.000Z', '2026-01-31T23:15:00.000Z'])
    expect(await counting.give(rows)).toMatchObject({ stored: 0, unchanged: 5 })
    expect(await counting.world.rows('SELECT sum(impressions)::integer AS sum FROM sensor_days')).toEqual([{ sum: 10 }])
  })

  test('extend nothing if they are rejected, or if nothing is stored', async () => {
    await counting.sensorIn('Europe/Berlin', 'quarter_hour', installed)
    const options = { extendInstallations: true }
    const rows = ['2026-01-01T10:45,x', '2026-01-09T10:45,1']
    expect(await counting.give(rows, options)).toMatchObject({ rejected: 1, not_stored: 1 })
    expect(await bounds()).toEqual(['2026-01-10T10:00:00.000Z', '2026-01-20T12:07:00.000Z'])
    await counting.give(rows, { ...options, skipFaulty: true })
    expect(await bounds()).toEqual(['2026-01-09T09:45:00.000Z', '2026-01-20T12:07:00.000Z'])
  })

  test('are errors more than a day in the future', async () => {
    await counting.sensorIn('UTC', 'hour')
    const hour = (offset: number) => `${new Date(Date.now() + offset * 3_600_000).toISOString().slice(0, 13)}:00Z`
    const rows = [`${hour(0)},1`, `${hour(23)},2`, `${hour(26)},3`, '2062-01-01T00:00,4']
    expect(await counting.give(rows, { extendInstallations: true })).toEqual(
      refused(4, [/^4: start .* is more than a day in the future$/, /^5: start 2062-01-01T00:00\+00:00 is more than/]),
    )
  })

  test('never extend an installation into the future', async () => {
    const removed_at = new Date(Date.now() - 7_200_000).toISOString()
    await counting.sensorIn('UTC', 'minute', { removed_at })
    const minute = (offset: number) => `${new Date(Date.now() + offset * 60_000).toISOString().slice(0, 16)}Z`
    const rows = [`${minute(-10)},1`, `${minute(10)},2`]
    expect(await counting.give(rows, { extendInstallations: true })).toMatchObject({
      errors: [expect.stringMatching(/^3: .*--extend-installations, which never extends into the future$/)],
    })
    expect(await counting.give(rows.slice(0, 1), { extendInstallations: true })).toEqual(stored(1))
  })

  test('are errors between two installations, whatever the options', async () => {
    const { asset } = await counting.sensorIn('Europe/Berlin', 'hour', installed)
    const company = { number: asset?.company as number, id: '' }
    const other = await counting.world.make.asset({ time_zone: 'Europe/Berlin', company })
    const row = `S1,${other.id},2026-03-01T00:00Z,`
    await counting.world.import('sensors', ['serial,asset_id,installed_at,removed_at', row])
    for (const extendInstallations of [false, true]) {
      const { errors } = await counting.give(['2026-02-01T00:00,1', '2026-03-02T00:00,1'], { extendInstallations })
      expect(errors).toEqual([
        expect.stringMatching(/^2: start 2026-02-01T00:00\+01:00 is between two installations of the sensor/),
      ])
    }
  })
})
