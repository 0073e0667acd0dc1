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
    const company = await world.make.company()
    await world.make.asset({ company, name: 'a', legacy_id: 1 })
    await world.make.asset({ company, name: 'b', legacy_id: 2, time_zone: 'America/New_York' })
    await world.make.asset({ company, name: 'kathmandu', legacy_id: 3, time_zone: 'Asia/Kathmandu' })
    await world.import('vendors', [
      'name,own,finest_grain',
      ...['Minute,true,minute', 'Quarter,false,quarter_hour', 'Hour,false,hour', 'Day,false,day'],
    ])
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
    ).map(({ name, installed_at, removed_at }) => [name, installed_at, removed_at])
  const versions = async () =>
    (await world.rows('SELECT data_version FROM assets JOIN asset_versions ON asset = number ORDER BY name')).map(
      ({ data_version }) => data_version,
    )

  test('a move that is reported late moves the counts since then to the other asset', async () => {
    await sensor('1,2026-01-01T00:00Z,')
    await count('2026-02-01T00:00Z', '2026-03-01T00:00Z')
    expect(await totals()).toEqual([['a', 672, '2026-02-01', '2026-03-01']])
    const before = await versions()
    // 10 February in New York begins at six o'clock in Berlin.
    expect(await sensor('2,2026-02-10,')).toEqual(stored(1))
    expect(await totals()).toEqual([
      ['a', 221, '2026-02-01', '2026-02-10'],
      ['b', 451, '2026-02-10', '2026-02-28'],
    ])
    expect(await history()).toEqual([
      ['a', '2026-01-01T00:00:00Z', '2026-02-10T05:00:00Z'],
      ['b', '2026-02-10T05:00:00Z', null],
    ])
    const after = await versions()
    expect(after.map((version, i) => version === before[i])).toEqual([false, false, true])
    expect(await sensor('2,2026-02-10,')).toEqual(unchanged(1))
    expect(await versions()).toEqual(after)
  })

  test('a move is undone by naming the old asset from the same instant', async () => {
    await sensor('1,2026-01-01T00:00Z,')
    await count('2026-02-01T00:00Z', '2026-03-01T00:00Z')
    const before = await world.days()
    await sensor('2,2026-02-10T12:00Z,')
    expect(await world.days()).not.toEqual(before)
    expect(await sensor('1,2026-02-10T12:00Z,')).toEqual(stored(1))
    expect(await world.days()).toEqual(before)
    expect(await history()).toEqual([['a', '2026-01-01T00:00:00Z', null]])
    expect(await world.rows('SELECT installed_at FROM sensors')).toEqual([{ installed_at: '2026-01-01T00:00:00Z' }])
    expect(await sensor('1,2026-02-10T12:00Z,')).toEqual(unchanged(1))
  })

  test('a move that began earlier than reported takes the counts from the asset before', async () => {
    await sensor('1,2026-01-01T00:00Z,')
    await sensor('2,2026-02-10T00:00Z,')
    await count('2026-02-01T00:00Z', '2026-03-01T00:00Z')
    await sensor('2,2026-02-05T00:00Z,')
    expect(await totals()).toEqual([
      ['a', 96, '2026-02-01', '2026-02-05'],
      ['b', 576, '2026-02-04', '2026-02-28'],
    ])
  })

  test('a sensor that was on another asset for a while has its later counts where it is now', async () => {
    await sensor('1,2026-01-01T00:00Z,')
    await count('2026-02-01T00:00Z', '2026-03-01T00:00Z')
    await sensor('2,2026-02-10T00:00Z,')
    await sensor('1,2026-02-10T06:00Z,')
    expect(await totals()).toEqual([
      ['a', 666, '2026-02-01', '2026-03-01'],
      ['b', 6, '2026-02-09', '2026-02-10'],
    ])
    expect(await history()).toHaveLength(3)
  })

  test('a sensor may be on no asset for a while', async () => {
    await sensor('1,2026-01-01T00:00Z,')
    await sensor(',2026-02-10T00:00Z,')
    await sensor('1,2026-03-01T00:00Z,')
    expect(await history()).toEqual([
      ['a', '2026-01-01T00:00:00Z', '2026-02-10T00:00:00Z'],
      ['a', '2026-03-01T00:00:00Z', null],
    ])
    await sensor(',,2026-03-10T00:00Z')
    expect(await history()).toMatchObject([{}, ['a', '2026-03-01T00:00:00Z', '2026-03-10T00:00:00Z']])
    await sensor(',2026-03-01T00:00Z,2026-03-12T00:00Z')
    expect(await history()).toMatchObject([{}, ['a', '2026-03-01T00:00:00Z', '2026-03-12T00:00:00Z']])
    await sensor(',2026-03-05T00:00Z,2026-03-12T00:00Z')
    expect(await history()).toMatchObject([{}, ['a', '2026-03-01T00:00:00Z', '2026-03-05T00:00:00Z']])
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
    expect(await history()).toEqual([['a', '2026-01-01T00:00:00Z', null]])
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
    beforeEach(async () => {
      await sensor('1,2026-01-01T00:00Z,')
      await sensor('2,2026-02-10T00:00Z,2026-03-01T00:00Z')
      await sensor('1,2026-04-01T00:00Z,')
    })

    test.each([
      [PLACE, 'S,1,2026-01-01T00:00Z', ['move to "b"', 'removal', 'move to "a"']],
      [PLACE, 'S,1,2026-01-20T00:00Z', ['move to "b"', 'removal', 'move to "a"']],
      [WHOLE, 'S,1,2026-01-01T00:00Z,', ['move to "b"', 'removal', 'move to "a"']],
      [PLACE, 'S,2,2026-02-10T00:00Z', ['removal', 'move to "a"']],
      [WHOLE, 'S,2,2026-02-10T00:00Z,2026-03-01T00:00Z', ['move to "a"']],
      [PLACE, 'S,,2026-03-10T00:00Z', ['move to "a"']],
      [PLACE, 'S,,2025-12-01T00:00Z', ['installation on "a"', 'move to "b"', 'removal', 'move to "a"']],
      [PLACE, 'S,1,2026-04-01T00:00Z', []],
    ])('changes nothing, and names the moves and removals that it keeps: %s %s', async (header, row, kept) => {
      const before = await history()
      expect(await repeat(header, row)).toEqual(unchanged(1))
      expect(await history()).toEqual(before)
      expect(notices).toEqual(
        kept.length === 0
          ? []
          : [
              expect.stringMatching(
                new RegExp(`^sensor "S": keeps ${kept.map(event => `the ${event}.* at 2026-\\S+`).join('.*')}$`),
              ),
            ],
      )
    })

    test.each([
      [
        'another asset',
        PLACE,
        'S,2,2026-01-20T00:00Z',
        [
          ['a', '2026-01-01T00:00:00Z', '2026-01-20T00:00:00Z'],
          ['b', '2026-01-20T00:00:00Z', null],
        ],
      ],
      ['none', PLACE, 'S,,2026-01-20T00:00Z', [['a', '2026-01-01T00:00:00Z', '2026-01-20T00:00:00Z']]],
      ['an earlier instant', PLACE, 'S,1,2025-12-01T00:00Z', [['a', '2025-12-01T00:00:00Z', null]]],
      [
        'that it was not removed',
        WHOLE,
        'S,2,2026-02-10T00:00Z,',
        [
          ['a', '2026-01-01T00:00:00Z', '2026-02-10T00:00:00Z'],
          ['b', '2026-02-10T00:00:00Z', null],
        ],
      ],
      [
        'another removal',
        WHOLE,
        'S,1,2026-01-01T00:00Z,2026-01-20T00:00Z',
        [['a', '2026-01-01T00:00:00Z', '2026-01-20T00:00:00Z']],
      ],
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
      expect(await history()).toMatchObject([{}, {}, ['a', '2026-04-01T00:00:00Z', null]])
    })
  })

  test('an installed_at that was too early or too late is corrected by a file without asset_id', async () => {
    await sensor('1,2026-01-01T00:00Z,')
    await sensor('2,2026-02-10T00:00Z,')
    await world.import('sensors', ['serial,installed_at', 'S,2026-02-12T00:00Z'])
    expect(await history()).toEqual([
      ['a', '2026-01-01T00:00:00Z', '2026-02-10T00:00:00Z'],
      ['b', '2026-02-12T00:00:00Z', null],
    ])
    await world.import('sensors', ['serial,installed_at', 'S,2026-02-08T00:00Z'])
    expect(await history()).toEqual([
      ['a', '2026-01-01T00:00:00Z', '2026-02-08T00:00:00Z'],
      ['b', '2026-02-08T00:00:00Z', null],
    ])
  })

  test('hourly counts cannot move to an asset whose clock has other hours, and quarter hours can', async () => {
    await sensor('1,2026-01-01T00:00Z,')
    await count('2026-02-01T00:00Z', '2026-02-03T00:00Z')
    expect(await sensor('3,2026-02-02T00:00Z,')).toEqual(
      refused(1, [
        /^2: 24 stored counts from 2026-02-02T01:00\+01:00 to 2026-02-03T00:00\+01:00 would not begin where/,
      ]),
    )
    await world.owner.query('DELETE FROM sensor_days')
    await world.import('sensors', ['serial,vendor_id', 'S,Quarter'])
    await count('2026-02-01T00:00Z', '2026-02-03T00:00Z', 1, { interval: 'quarter_hour' })
    expect(await sensor('3,2026-02-02T00:00Z,', 'Quarter')).toEqual(stored(1))
    expect(await totals()).toEqual([
      ['a', 24, '2026-02-01', '2026-02-02'],
      ['kathmandu', 24, '2026-02-02', '2026-02-03'],
    ])
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

  test('daily counts keep their dates when they move or the time zone is corrected', async () => {
    await sensor('1,2026-02-01,', 'Day')
    const dates = Array.from({ length: 28 }, (_, i) => `2026-02-${String(i + 1).padStart(2, '0')}`)
    await world.import('impressions', ['sensor,start,impressions', ...dates.map(date => `S,${date},1`)])
    expect(await totals()).toEqual([['a', 28, '2026-02-01', '2026-02-28']])
    expect(await sensor('3,2026-02-10,', 'Day')).toEqual(stored(1))
    expect(await totals()).toEqual([
      ['a', 9, '2026-02-01', '2026-02-09'],
      ['kathmandu', 19, '2026-02-10', '2026-02-28'],
    ])
    expect(await world.import('assets', ['legacy_id,time_zone', '3,America/New_York'])).toEqual(stored(1))
    expect(await totals()).toMatchObject([{}, ['kathmandu', 19, '2026-02-10', '2026-02-28']])
    expect(await sensor('1,2026-02-10,', 'Day')).toEqual(stored(1))
    expect(await totals()).toEqual([['a', 28, '2026-02-01', '2026-02-28']])
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

    test('the local days of all its counts are determined again, and undoing it restores them', async () => {
      await sensor('1,2026-01-01T00:00Z,')
      await say('T,M,Minute,1,2026-01-01T00:00Z,')
      await count('2026-03-28T00:00Z', '2026-03-31T00:00Z')
      await world.import('impressions', ['sensor,start,impressions', 'T,2026-03-28T23:30Z,4', 'T,2026-03-29T22:59Z,5'])
      await sensor('2,2026-03-30T00:00Z,')
      const before = await world.days()
      const versionsBefore = await versions()
      expect(await setZone('America/New_York')).toEqual(stored(1))
      expect(
        (await world.days()).map(({ asset, serial, date, impressions }) => [asset, serial, date, impressions]),
      ).toEqual([
        ['a', 'S', '2026-03-27', 4],
        ['a', 'S', '2026-03-28', 24],
        ['a', 'S', '2026-03-29', 20],
        ['a', 'T', '2026-03-28', 4],
        ['a', 'T', '2026-03-29', 5],
        ['b', 'S', '2026-03-29', 4],
        ['b', 'S', '2026-03-30', 20],
      ])
      expect(await totals()).toMatchObject([['a', 57, '2026-03-27', '2026-03-29'], {}])
      expect((await versions()).map((version, i) => version === versionsBefore[i])).toEqual([false, true, true])
      await setZone('Europe/Berlin')
      expect(await world.days()).toEqual(before)
      expect(await setZone('Europe/Berlin')).toEqual(unchanged(1))
    })

    test('origins and demographics keep their dates', async () => {
      await world.import('origins', ['asset_id,date,country,region,city,impressions', '1,2026-03-01,DE,DE-BE,Berlin,7'])
      await setZone('Pacific/Auckland')
      expect(await world.rows('SELECT date, impressions FROM origins')).toEqual([
        { date: '2026-03-01', impressions: 7 },
      ])
    })

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
