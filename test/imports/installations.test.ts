import type { ImportOptions } from '../../imports/import-file'
import { type Outcome, refused, stored, unchanged } from '../support/outcomes'
import { World } from '../support/world'

describe('stored counts follow the installations of their sensor', () => {
  let world: World
  beforeAll(async () => {
    world = await World.open()
  })
  afterAll(() => world.stop())

  beforeEach(async () => {
    await world.clear()
    await world.make.together(async make => {
      const company = await make.company()
      await make.asset({ company, name: 'a', legacy_id: 1 })
      await make.asset({ company, name: 'b', legacy_id: 2, time_zone: 'America/New_York' })
      await make.asset({ company, name: 'kathmandu', legacy_id: 3, time_zone: 'Asia/Kathmandu' })
      await make.vendor('minute', { name: 'Minute' })
      await make.vendor('quarter_hour', { name: 'Quarter' })
      await make.vendor('hour', { name: 'Hour' })
    })
  })

  /** Returns rows `asset,installed_at,removed_at` of the sensor S, in files of their own. */
  async function say(...rows: string[]) {
    let outcome: Outcome = unchanged(0)
    for (const row of rows) {
      outcome = await world.import('sensors', ['serial,model,vendor_id,asset_id,installed_at,removed_at', row])
    }
    return outcome
  }
  const sensor = (row: string, vendor = 'Hour') => say(`S,M,${vendor},${row}`)

  /** Returns one count an hour. */
  const count = (from: string, to: string, value = 1, options: ImportOptions = {}) => {
    const rows: string[] = []
    for (let instant = Date.parse(from); instant < Date.parse(to); instant += 3_600_000) {
      rows.push(`S,${new Date(instant).toISOString()},${value}`)
    }
    return world.import('impressions', ['sensor,start,impressions', ...rows], options)
  }
  const totals = async () =>
    (
      await world.rows(`SELECT a.name, sum(impressions)::integer AS sum, min(date) AS first, max(date) AS last,
        min(measured_from) AS measured_from, max(measured_to) AS measured_to
        FROM assets a JOIN asset_versions v ON v.asset = a.number JOIN sensor_days d ON d.asset = a.number GROUP BY a.name ORDER BY a.name`)
    ).map(({ name, sum, first, last, measured_from, measured_to }) => {
      expect([measured_from, measured_to]).toEqual([first, last])
      return [name, sum, first, last]
    })
  const history = async () =>
    (
      await world.rows(`SELECT a.name, i.installed_at, i.removed_at, i.native_minutes FROM installations i
        JOIN assets a ON a.number = i.asset ORDER BY i.installed_at`)
    ).map(({ name, installed_at, removed_at }) => `${name} ${installed_at} ${removed_at}`.replaceAll('T00:00:00Z', ''))

  test('a sensor may be on no asset for a while', async () => {
    await sensor('1,2026-01-01T00:00Z,')
    await sensor(',2026-02-10T00:00Z,')
    await sensor('1,2026-03-01T00:00Z,')
    expect(await history()).toEqual(['a 2026-01-01 2026-02-10', 'a 2026-03-01 null'])
    await sensor(',,2026-03-10T00:00Z')
    expect((await history()).at(-1)).toBe('a 2026-03-01 2026-03-10')
    await sensor(',2026-03-01T00:00Z,2026-03-12T00:00Z')
    expect((await history()).at(-1)).toBe('a 2026-03-01 2026-03-12')
    await sensor(',2026-03-05T00:00Z,2026-03-12T00:00Z')
    expect((await history()).at(-1)).toBe('a 2026-03-01 2026-03-05')
  })

  test('a removal before stored counts is refused, and says which counts and what to do', async () => {
    await sensor('1,2026-01-01T00:00Z,')
    await count('2026-02-01T00:00Z', '2026-03-01T00:00Z')
    const before = await world.days()
    const reason = `2: 264 stored counts from 2026-02-18T01:00+01:00 to 2026-03-01T00:00+01:00 would be outside of every
      installation of the sensor: give an installed_at (and removed_at) that includes them, or delete them first
      (partner-metrics delete impressions)`.replaceAll(/\s+/g, ' ')
    expect(await sensor('1,2026-01-01T00:00Z,2026-02-18T00:00Z')).toEqual(refused(1, [reason]))
    expect(await sensor(',2026-02-18T00:00Z,')).toEqual(refused(1, [reason]))
    expect(await world.import('sensors', ['serial,removed_at', 'S,2026-02-18T00:00Z'])).toEqual(refused(1, [reason]))
    expect(await world.days()).toEqual(before)
    expect(await history()).toEqual(['a 2026-01-01 null'])
    await world.owner.query('DELETE FROM sensor_days WHERE date >= $1', ['2026-02-18'])
    expect(await world.import('sensors', ['serial,removed_at', 'S,2026-02-18T00:00Z'])).toEqual(stored(1))
  })

  describe('a row that repeats what is recorded for its instant', () => {
    const notices: string[] = []
    const repeat = (header: string, row: string) => {
      notices.length = 0
      return world.import('sensors', [header, row], { onNotice: notice => notices.push(notice) })
    }
    const PLACE = 'serial,asset_id,installed_at'
    const WHOLE = `${PLACE},removed_at`
    beforeEach(() =>
      world.import('sensors', [
        'serial,model,vendor_id,asset_id,installed_at,removed_at',
        'S,M,Hour,1,2026-01-01T00:00Z,',
        'S,M,Hour,2,2026-02-10T00:00Z,2026-03-01T00:00Z',
        'S,M,Hour,1,2026-04-01T00:00Z,',
      ]),
    )

    test('changes nothing, and names the moves and removals that it keeps', async () => {
      const before = await history()
      const repeated: [header: string, row: string, kept: string[]][] = [
        [PLACE, 'S,1,2026-01-01T00:00Z', ['move to "b"', 'removal', 'move to "a"']],
        [PLACE, 'S,1,2026-01-20T00:00Z', ['move to "b"', 'removal', 'move to "a"']],
        [WHOLE, 'S,1,2026-01-01T00:00Z,', ['move to "b"', 'removal', 'move to "a"']],
        [PLACE, 'S,2,2026-02-10T00:00Z', ['removal', 'move to "a"']],
        [WHOLE, 'S,2,2026-02-10T00:00Z,2026-03-01T00:00Z', ['move to "a"']],
        [PLACE, 'S,,2026-03-10T00:00Z', ['move to "a"']],
        [PLACE, 'S,,2025-12-01T00:00Z', ['installation on "a"', 'move to "b"', 'removal', 'move to "a"']],
        [PLACE, 'S,1,2026-04-01T00:00Z', []],
      ]
      for (const [header, row, kept] of repeated) {
        expect(await repeat(header, row)).toEqual(unchanged(1))
        const message = `^sensor "S": keeps ${kept.map(event => `the ${event}.* at 2026-\\S+`).join('.*')}$`
        expect(notices).toEqual(kept.length === 0 ? [] : [expect.stringMatching(new RegExp(message))])
      }
      expect(await history()).toEqual(before)
    })

    test.each([
      ['another asset', PLACE, 'S,2,2026-01-20T00:00Z', ['a 2026-01-01 2026-01-20', 'b 2026-01-20 null']],
      ['none', PLACE, 'S,,2026-01-20T00:00Z', ['a 2026-01-01 2026-01-20']],
      ['an earlier instant', PLACE, 'S,1,2025-12-01T00:00Z', ['a 2025-12-01 null']],
      ['that it was not removed', WHOLE, 'S,2,2026-02-10T00:00Z,', ['a 2026-01-01 2026-02-10', 'b 2026-02-10 null']],
      ['another removal', WHOLE, 'S,1,2026-01-01T00:00Z,2026-01-20T00:00Z', ['a 2026-01-01 2026-01-20']],
    ])('unlike one that says %s, which replaces later moves and removals alike', async (_, header, row, after) => {
      expect(await repeat(header, row)).toEqual(stored(1))
      expect(await history()).toEqual(after)
      expect(notices).toEqual([])
    })

    test('keeps a later change of the hardware, with the vendor of now', async () => {
      await sensor('1,2026-05-01,', 'Minute')
      expect(await sensor('1,2026-04-01T00:00Z,')).toEqual(unchanged(1))
      expect(await world.rows('SELECT native_minutes FROM sensors')).toEqual([{ native_minutes: 1 }])
    })

    test('and instants in the future are named, because records show them from now on', async () => {
      await repeat('serial,removed_at', 'S,2100-01-01T00:00Z')
      expect(notices).toEqual([
        'sensor "S": records show the removal at 2100-01-01T01:00+01:00 from now on, which is in the future',
      ])
      expect(await world.rows('SELECT asset, removed_at FROM sensors')).toEqual([
        { asset: null, removed_at: '2100-01-01T00:00:00Z' },
      ])
      await repeat('serial,removed_at', 'S,')
      expect((await history()).at(-1)).toBe('a 2026-04-01 null')
    })
  })

  test('an installed_at that was too early or too late is corrected by a file without asset_id', async () => {
    await sensor('1,2026-01-01T00:00Z,')
    await sensor('2,2026-02-10T00:00Z,')
    await world.import('sensors', ['serial,installed_at', 'S,2026-02-12T00:00Z'])
    expect(await history()).toEqual(['a 2026-01-01 2026-02-10', 'b 2026-02-12 null'])
    await world.import('sensors', ['serial,installed_at', 'S,2026-02-08T00:00Z'])
    expect(await history()).toEqual(['a 2026-01-01 2026-02-08', 'b 2026-02-08 null'])
  })

  test('a file may have the whole history of a sensor, in any order', async () => {
    await sensor('1,2026-01-01T00:00Z,')
    await count('2026-02-01T00:00Z', '2026-03-01T00:00Z')
    const file = [
      'id,serial,model,vendor_id,asset_id,installed_at,removed_at',
      ',S,M3,Hour,1,2026-02-20T00:00Z,',
      ',S,M1,Hour,1,2026-01-01T00:00Z,',
      ',S,M2,Hour,2,2026-02-10T00:00Z,',
      ',NEW,M2,Hour,2,2026-02-10T00:00Z,',
      'newsensor1,NEW,M1,Hour,1,2026-01-01T00:00Z,2026-01-10T00:00Z',
    ]
    expect(await world.import('sensors', file)).toEqual(stored(5))
    expect(await totals()).toEqual([
      ['a', 432, '2026-02-01', '2026-03-01'],
      ['b', 240, '2026-02-09', '2026-02-19'],
    ])
    expect(
      await world.rows('SELECT serial, id = $1 AS given, model, installed_at FROM sensors ORDER BY serial', [
        'newsensor1',
      ]),
    ).toEqual([
      { serial: 'NEW', given: true, model: 'M2', installed_at: '2026-02-10T00:00:00Z' },
      { serial: 'S', given: false, model: 'M3', installed_at: '2026-02-20T00:00:00Z' },
    ])
    expect(await world.import('sensors', file)).toEqual(unchanged(5))
  })

  test('several rows of a sensor need different instants, and one id and serial', async () => {
    await sensor('1,2026-01-01T00:00Z,')
    const HEADER = 'id,serial,model,vendor_id,asset_id,installed_at'
    const rows = (...lines: string[]) => world.import('sensors', [HEADER, ...lines])
    expect(await rows(',S,M,Hour,1,2026-01-01T00:00Z', ',S,M,Hour,2,2026-01-01T01:00+01:00')).toEqual(
      refused(2, ['3: the sensor has other values on line 2']),
    )
    expect(await rows(',S,M,Hour,,', ',S,M,Hour,2,2026-01-01T00:00Z')).toEqual(
      refused(2, ['3: the sensor has another row on line 2: each needs an installed_at']),
    )
    expect(await rows('idoneone1,N,M,Hour,1,2026-01-01T00:00Z', 'idtwotwo2,N,M,Hour,1,2026-01-02T00:00Z')).toEqual(
      refused(2, ['3: the sensor has another id on line 2']),
    )
    expect(await rows('idoneone1,N,M,Hour,1,2026-01-01T00:00Z', 'idoneone1,O,M,Hour,1,2026-01-02T00:00Z')).toEqual(
      refused(2, ['3: id "idoneone1" is that of another sensor on line 2']),
    )
  })

  test('only the faulty sensor keeps its counts when the others are stored', async () => {
    await sensor('1,2026-01-01T00:00Z,')
    await say('T,M,Hour,1,2026-01-01T00:00Z,')
    await count('2026-02-01T00:00Z', '2026-02-03T00:00Z')
    await world.import('impressions', ['sensor,start,impressions', 'T,2026-02-01T00:00Z,1', 'T,2026-02-02T00:00Z,1'])
    const file = ['serial,asset_id,installed_at', 'S,2,2026-02-02T00:00Z', 'T,3,2026-02-02T00:00Z']
    expect(await world.import('sensors', file, { skipFaulty: true })).toMatchObject({ stored: 1, rejected: 1 })
    expect(await totals()).toEqual([
      ['a', 26, '2026-02-01', '2026-02-02'],
      ['b', 24, '2026-02-01', '2026-02-02'],
    ])
  })

  describe('of another grain under the same serial', () => {
    test('the earlier counts keep their grain, and the new ones have the new grain', async () => {
      await sensor('1,2026-01-01T00:00Z,')
      await count('2026-02-01T00:00Z', '2026-02-09T23:00Z')
      expect(await sensor('1,2026-02-10,', 'Quarter')).toEqual(stored(1))
      await world.import('impressions', ['sensor,start,impressions', 'S,2026-02-10T00:15,7'])
      expect(
        await world.rows('SELECT native_minutes, min(date) AS first FROM sensor_days GROUP BY 1 ORDER BY 1'),
      ).toEqual([
        { native_minutes: 15, first: '2026-02-10' },
        { native_minutes: 60, first: '2026-02-01' },
      ])
      expect(
        await world.rows(`SELECT native_minutes, sensor_minutes FROM sensors s JOIN assets a ON a.number = s.asset`),
      ).toEqual([{ native_minutes: 15, sensor_minutes: 15 }])
      expect(await sensor('1,2026-02-10,', 'Quarter')).toEqual(unchanged(1))
    })

    test('the change has to be at the start of a local day', async () => {
      await sensor('1,2026-01-01T00:00Z,')
      expect(await sensor('1,2026-02-10T12:00Z,', 'Quarter')).toEqual(
        refused(1, [
          '2: installed_at has to be the start of a local day, because the sensor counts another grain from then on: ' +
            '2026-02-10T00:00+01:00 or 2026-02-11T00:00+01:00',
        ]),
      )
      expect(await sensor('2,2026-02-10T12:00Z,', 'Quarter')).toEqual(stored(1))
    })

    test('counts after the change that are of the old grain are refused', async () => {
      await sensor('1,2026-01-01T00:00Z,')
      await count('2026-02-01T00:00Z', '2026-02-10T00:00Z')
      expect(await sensor('1,2026-02-10,', 'Minute')).toEqual(
        refused(1, [/^2: 1 stored count at 2026-02-10T00:00\+01:00 would not have the grain of the sensor:/]),
      )
    })
  })

  describe('when the time zone of an asset is corrected', () => {
    const setZone = (zone: string) => world.import('assets', ['legacy_id,time_zone', `1,${zone}`])

    test('it is refused where hourly counts would not begin at an hour', async () => {
      await sensor('1,2026-01-01T00:00Z,')
      await count('2026-02-01T00:00Z', '2026-02-03T00:00Z')
      expect(await setZone('Asia/Kathmandu')).toEqual(
        refused(1, [
          /^2: 48 stored counts of sensor "S" from 2026-02-01T01:00\+01:00 to .* would not begin where an interval/,
        ]),
      )
    })

    test('it is refused where a sensor would count two grains on one day', async () => {
      await sensor('1,2026-01-01T00:00Z,')
      await sensor('1,2026-02-10,', 'Quarter')
      expect(await setZone('America/New_York')).toEqual(
        refused(1, ['2: sensor "S" would count two grains on one local day: change its installed_at first']),
      )
    })
  })
})
