import type { ImportOptions } from '../../imports/import-file'
import type { MadeAsset } from '../support/factories'
import { refused, stored, unchanged } from '../support/outcomes'
import { World } from '../support/world'

let world: World
let auckland: MadeAsset
const notices: string[] = []

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
    auckland = await make.asset({ company, name: 'auckland', legacy_id: 4, time_zone: 'Pacific/Auckland' })
    await make.vendor('minute', { id: 'vendorown1', name: 'Minute' })
    await make.vendor('quarter_hour', { name: 'Quarter' })
    await make.vendor('hour', { name: 'Hour' })
  })
})

const NEW = 'model,vendor_id,asset_id,installed_at'
const PLACE = 'asset_id,installed_at'
const WHOLE = `${PLACE},removed_at`

/** Imports rows of the sensor S, in which `2026-01-01Z` is a midnight of UTC. */
function give(columns: string, values: string | readonly string[], options: ImportOptions = {}) {
  notices.length = 0
  const rows = [values].flat().map(row => `S,${row}`.replace(/(\d\d-\d\d)Z/g, '$1T00:00Z'))
  return world.import('sensors', [`serial,${columns}`, ...rows], {
    onNotice: notice => notices.push(notice),
    ...options,
  })
}
const install = (vendor = 'Hour') => give(NEW, `M,${vendor},1,2026-01-01Z`)

const count = (...rows: string[]) =>
  world.import('impressions', ['sensor,start,impressions', ...rows.map(row => `S,${row}`)], {})

/** Gives the sensor S one count an hour. */
const countHours = (from: string, to: string) => {
  const [first, end] = [from, to].map(date => Date.parse(date) / 3_600_000) as [number, number]
  const starts = Array.from({ length: end - first }, (_, i) => new Date((first + i) * 3_600_000).toISOString())
  return count(...starts.map(start => `${start},1`))
}

const history = async () =>
  (
    await world.rows(`SELECT a.name, i.installed_at, i.removed_at FROM installations i
      JOIN assets a ON a.number = i.asset ORDER BY i.installed_at`)
  ).map(row => Object.values(row).join(' ').replaceAll('T00:00:00Z', 'Z').trimEnd())

const sensors = () =>
  world.rows(`SELECT s.id, serial, model, v.name AS vendor, s.native_minutes, a.name AS asset, s.company = a.company AS belongs,
    billable_state, installed_at, removed_at
    FROM sensors s JOIN vendors v ON v.number = s.vendor LEFT JOIN assets a ON a.number = s.asset ORDER BY serial`)

/** Returns the sums of assets, with their first and last dates. */
const totals = async () =>
  (
    await world.rows(`SELECT a.name, sum(impressions)::integer AS sum, min(date) AS first, max(date) AS last
      FROM assets a JOIN sensor_days d ON d.asset = a.number GROUP BY a.name ORDER BY a.name`)
  ).map(row => Object.values(row).join(' '))

describe('sensors', () => {
  test('are stored with every field, refer by id, name or legacy id, and importing the file again changes nothing', async () => {
    const file = [
      'id,serial,model,vendor_id,asset_id,billable_state,installed_at,removed_at',
      'sensorone1,S1,M1,vendorown1,1,billable,2026-01-01T00:00:00Z,2026-02-01T00:00:00.5Z',
      `,S2,M2,Hour,${auckland.id},,2026-01-01,`,
      ',S3,M3,Quarter,,retired,,',
    ]
    expect(await world.import('sensors', file)).toEqual(stored(3))
    const before = await sensors()
    expect(before).toMatchObject([
      {
        id: 'sensorone1',
        vendor: 'Minute',
        native_minutes: 1,
        // Removed.
        asset: null,
        billable_state: 'billable',
        installed_at: '2026-01-01T00:00:00Z',
        removed_at: '2026-02-01T00:00:00.5Z',
      },
      {
        id: expect.stringMatching(/^[a-z0-9]{24}$/),
        native_minutes: 60,
        asset: 'auckland',
        billable_state: 'pending',
        installed_at: '2025-12-31T11:00:00Z',
      },
      { vendor: 'Quarter', asset: null, installed_at: null, billable_state: 'retired' },
    ])
    expect(await world.import('sensors', file)).toEqual(unchanged(3))
    expect(await sensors()).toEqual(before)
    expect(await history()).toEqual(['auckland 2025-12-31T11:00:00Z', 'a 2026-01-01Z 2026-02-01T00:00:00.5Z'])
  })

  test.each<[columns: string, values: string | string[], ...errors: (string | RegExp)[]]>([
    ['serial,model', 'S9,M', '2: vendor_id is required for a new sensor'],
    ['serial,model,vendor_id,asset_id', 'S9,M,Hour,1', '2: installed_at is required for a sensor on an asset'],
    ['serial,model,vendor_id', 'S9,M,Nobody', '2: vendor_id "Nobody" is unknown'],
    ['serial,asset_id', 'S,12', '2: asset_id "12" is unknown'],
    ['serial,installed_at', 'S,', '2: installed_at is required for a sensor on an asset'],
    ['serial,removed_at', 'S,2025-12-31', '2: removed_at is not after installed_at'],
    ['serial,asset_id,removed_at', 'S,,2025-12-31', '2: removed_at is not after installed_at'],
    ['serial,installed_at,removed_at', 'S,2026-01-02,2026-01-02', '2: removed_at is not after installed_at'],
    ['serial,removed_at', 'S,tomorrow', /removed_at is "tomorrow", but must be a timestamp/],
    ['serial,removed_at', 'S,2027-03-28T02:30', /must be a timestamp/],
    ['id,serial', 'sensorxyz1,S', /serial "S" belongs to the sensor/],
    [
      `serial,${NEW}`,
      'S2,M,Hour,,soon',
      /^2: installed_at is "soon", but must be .*; if this line is no row, --comment /,
    ],
    [`serial,${PLACE}`, ['S,1,2026-03-01T00:00Z', 'S,2,2026-03-01T01:00+01:00'], /^3: .* other values on line 2$/],
    [
      `serial,${PLACE}`,
      ['S,,', 'S,2,2026-03-01'],
      /^3: the sensor has another row on line 2: each needs an installed_at/,
    ],
    [
      `id,serial,${NEW}`,
      ['idoneone1,N,M,Hour,1,2026-01-01', 'idtwotwo2,N,M,Hour,1,2026-01-02'],
      '3: the sensor has another id on line 2',
    ],
    [
      `id,serial,${NEW}`,
      ['idoneone1,N,M,Hour,1,2026-01-01', 'idoneone1,O,M,Hour,1,2026-01-02'],
      '3: id "idoneone1" is that of another sensor on line 2',
    ],
  ])('%s %j are rejected with the reason', async (header, values, ...errors) => {
    await install()
    const rows = [values].flat()
    expect(await world.import('sensors', [header, ...rows])).toEqual(refused(rows.length, errors))
  })

  test('are on an asset by its name, if no other has it', async () => {
    expect(await give(NEW, 'M,Hour,auckland,2018-01-01')).toEqual(stored(1))
    expect(await history()).toEqual(['auckland 2017-12-31T11:00:00Z'])
    await world.make.asset({ name: 'auckland' })
    expect(await give(NEW, 'M,Hour,auckland,2018-01-01')).toEqual(
      refused(1, ['2: asset_id "auckland" is the name of 2 assets: give its id or legacy_id']),
    )
  })

  test('are installed on the first day of a year', async () => {
    expect(await give(NEW, 'M,Hour,1,2018')).toEqual(stored(1))
    expect(await give(NEW, 'M,Hour,1,2018', { timeFormat: ['dd.MM.yyyy', 'yyyy'] })).toEqual(unchanged(1))
    expect(await history()).toEqual(['a 2017-12-31T23:00:00Z'])
    const removed = await give(WHOLE, '1,2018,2019', { timeFormat: ['yyyy'] })
    expect(removed.errors).toEqual([expect.stringMatching(/^2: removed_at is "2019", but must be/)])
  })

  test('are removed now, or after their last day with counts, when asset_id is empty', async () => {
    await install()
    await give('asset_id', '')
    const [{ now } = {}] = await world.rows('SELECT now() AS now')
    const removed = (await history())[0]?.split(' ')[2]
    expect(Math.abs(Date.parse(removed as string) - Date.parse(now as string))).toBeLessThan(60_000)
    expect(await sensors()).toMatchObject([{ asset: null, belongs: null, removed_at: removed }])
    expect(await give('asset_id', '')).toEqual(unchanged(1))
  })

  test('can change to a vendor of another grain before they have counted', async () => {
    await install('Minute')
    expect(await give('vendor_id', 'Hour')).toEqual(stored(1))
    expect(await world.rows('SELECT native_minutes FROM installations')).toEqual([{ native_minutes: 60 }])
    expect(await give('vendor_id', 'Minute')).toEqual(stored(1))
    await count('2026-03-01T12:00,5', '2026-03-02T12:00,5')
    expect(await give('vendor_id', 'Hour')).toEqual(
      refused(1, [
        '2: 2 stored counts from 2026-03-01T12:00+01:00 to 2026-03-02T12:00+01:00 would not have the grain of the ' +
          'sensor: give the local midnight after them as installed_at, from which on the sensor counts the other ' +
          'grain, or delete them first (partner-metrics delete impressions)',
      ]),
    )
  })

  test('move after their last day with counts if the row has no installed_at', async () => {
    await install()
    await count('2026-02-10T12:00,5')
    expect(await give('asset_id', '4')).toEqual(stored(1))
    expect(await history()).toEqual(['a 2026-01-01Z 2026-02-10T23:00:00Z', 'auckland 2026-02-10T23:00:00Z'])
    expect(await sensors()).toMatchObject([{ installed_at: '2026-02-10T23:00:00Z', removed_at: null }])
    await count('2026-02-12T12:00,5')
    expect(await totals()).toEqual(['a 5 2026-02-10 2026-02-10', 'auckland 5 2026-02-12 2026-02-12'])
    expect(await give('asset_id', '4')).toEqual(unchanged(1))
  })
})

describe('rows of a sensor on an asset', () => {
  beforeEach(() => install())

  const AWAY = [PLACE, '2,2026-01-20Z'] as const
  const REMOVED = ['a 2026-01-01Z 2026-01-20Z']

  test.each<[string, steps: (readonly [columns: string, values: string | string[]])[], expected: string[]]>([
    ['none for a while', [[PLACE, ',2026-02-10Z']], ['a 2026-01-01Z 2026-02-10Z']],
    [
      'one again after that',
      [
        [PLACE, ',2026-02-10Z'],
        [PLACE, '1,2026-03-01Z'],
        [WHOLE, ',,2026-03-10Z'],
        [WHOLE, ',2026-03-01Z,2026-03-12Z'],
      ],
      ['a 2026-01-01Z 2026-02-10Z', 'a 2026-03-01Z 2026-03-12Z'],
    ],
    [
      'none from an installed_at on, before any removal',
      [[WHOLE, ',2026-03-05Z,2026-03-12Z']],
      ['a 2026-01-01Z 2026-03-05Z'],
    ],
    [
      'another, from a later date than was said',
      [AWAY, ['installed_at', '2026-01-22Z']],
      ['a 2026-01-01Z 2026-01-20Z', 'b 2026-01-22Z'],
    ],
    [
      'another, from an earlier date than was said',
      [AWAY, ['installed_at', '2026-01-18Z']],
      ['a 2026-01-01Z 2026-01-18Z', 'b 2026-01-18Z'],
    ],
    ['only the other if it has not counted before', [['asset_id', '4']], ['auckland 2026-01-01Z']],
    [
      'the other since it was removed',
      [
        ['removed_at', '2026-01-20Z'],
        ['asset_id', '4'],
      ],
      ['a 2026-01-01Z 2026-01-20Z', 'auckland 2026-01-20Z'],
    ],
    ['none since it arrived at another', [AWAY, ['removed_at', '2026-01-20Z']], REMOVED],
    ['none since then, with an empty asset', [AWAY, ['asset_id,removed_at', ',2026-01-20Z']], REMOVED],
    ['none since then, by the date of its removal', [AWAY, [PLACE, ',2026-01-20Z']], REMOVED],
    ['none since then, by both dates', [AWAY, [WHOLE, ',2026-01-20Z,2026-01-20Z']], REMOVED],
    ['none ever', [['removed_at', '2026-01-01Z']], []],
    ['none ever, with an empty asset', [['asset_id,removed_at', ',2026-01-01Z']], []],
    ['none ever, by the date of its removal', [[PLACE, ',2026-01-01Z']], []],
    ['one until a local time there', [['removed_at', '2026-12-24 18:30']], ['a 2026-01-01Z 2026-12-24T17:30:00Z']],
    [
      'one until a time with an offset',
      [['removed_at', '2026-12-24T18:30:15+05:30']],
      ['a 2026-01-01Z 2026-12-24T13:00:15Z'],
    ],
    ...[
      ['1,2027-01-01', '4,2027-06-01', ',2028-01-01'],
      [',2028-01-01', '4,2027-06-01', '1,2027-01-01'],
    ].map((rows): [string, [string, string[]][], string[]] => [
      'none from a date at the asset that it leaves, in any order',
      [[PLACE, rows]],
      ['a 2026-01-01Z 2027-05-31T12:00:00Z', 'auckland 2027-05-31T12:00:00Z 2027-12-31T11:00:00Z'],
    ]),
    [
      'none from another date at the asset that it left',
      [
        [PLACE, ['4,2026-06-01', ',2027-01-01']],
        ['removed_at', '2027-02-01'],
      ],
      ['a 2026-01-01Z 2026-05-31T12:00:00Z', 'auckland 2026-05-31T12:00:00Z 2027-01-31T11:00:00Z'],
    ],
    [
      'none from a date before a move, at the asset that it has then',
      [
        [PLACE, ['4,2026-06-01', ',2027-01-01']],
        [PLACE, ',2026-03-01'],
      ],
      ['a 2026-01-01Z 2026-02-28T23:00:00Z'],
    ],
  ])('say that it was on %s; the same row again changes nothing', async (_, steps, expected) => {
    for (const [columns, values] of steps) expect(await give(columns, values)).toMatchObject({ errors: [] })
    expect(await history()).toEqual(expected)
    const [columns, values] = steps.at(-1)!
    expect(await give(columns, values)).toEqual(unchanged([values].flat().length))
    expect(await history()).toEqual(expected)
  })

  describe('that repeat what is recorded for their instant', () => {
    beforeEach(() => give(WHOLE, ['2,2026-02-10Z,2026-03-01Z', '1,2026-04-01Z,']))

    test('change nothing, and name the moves and removals that they keep', async () => {
      const before = await history()
      const repeated: [columns: string, row: string, kept: string[]][] = [
        [PLACE, '1,2026-01-01Z', ['move to "b"', 'removal', 'move to "a"']],
        [PLACE, '1,2026-01-20Z', ['move to "b"', 'removal', 'move to "a"']],
        [WHOLE, '1,2026-01-01Z,', ['move to "b"', 'removal', 'move to "a"']],
        [PLACE, '2,2026-02-10Z', ['removal', 'move to "a"']],
        [WHOLE, '2,2026-02-10Z,2026-03-01Z', ['move to "a"']],
        [PLACE, ',2026-03-10Z', ['move to "a"']],
        [PLACE, ',2025-12-01Z', ['installation on "a"', 'move to "b"', 'removal', 'move to "a"']],
        [PLACE, '1,2026-04-01Z', []],
      ]
      for (const [columns, row, kept] of repeated) {
        expect(await give(columns, row)).toEqual(unchanged(1))
        const message = `^sensor "S": keeps ${kept.map(event => `the ${event}.* at 2026-\\S+`).join('.*')}$`
        expect(notices).toEqual(kept.length === 0 ? [] : [expect.stringMatching(new RegExp(message))])
      }
      expect(await history()).toEqual(before)
    })

    test.each([
      ['another asset', PLACE, '2,2026-01-20Z', ['a 2026-01-01Z 2026-01-20Z', 'b 2026-01-20Z']],
      ['none', PLACE, ',2026-01-20Z', REMOVED],
      ['an earlier instant', PLACE, '1,2025-12-01Z', ['a 2025-12-01Z']],
      ['that it was not removed', WHOLE, '2,2026-02-10Z,', ['a 2026-01-01Z 2026-02-10Z', 'b 2026-02-10Z']],
      ['another removal', WHOLE, '1,2026-01-01Z,2026-01-20Z', REMOVED],
    ])('are unlike one that says %s, which replaces later moves and removals', async (_, columns, row, after) => {
      expect(await give(columns, row)).toEqual(stored(1))
      expect(await history()).toEqual(after)
      expect(notices).toEqual([])
    })

    test('keep a later change of the hardware, with the vendor of now', async () => {
      await give(NEW, 'M,Minute,1,2026-05-01')
      expect(await give(NEW, 'M,Hour,1,2026-04-01Z')).toEqual(unchanged(1))
      expect(await world.rows('SELECT native_minutes FROM sensors')).toEqual([{ native_minutes: 1 }])
    })
  })

  test('that say a removal before stored counts are refused with those counts and what to do', async () => {
    await countHours('2026-02-01', '2026-03-01')
    const before = await world.days()
    const reason = `2: 264 stored counts from 2026-02-18T01:00+01:00 to 2026-03-01T00:00+01:00 would be outside of every
      installation of the sensor: give an installed_at (and removed_at) that includes them, or delete them first
      (partner-metrics delete impressions)`.replaceAll(/\s+/g, ' ')
    for (const [columns, row] of [
      [WHOLE, '1,2026-01-01Z,2026-02-18Z'],
      [PLACE, ',2026-02-18Z'],
      ['removed_at', '2026-02-18Z'],
    ] as const)
      expect(await give(columns, row)).toEqual(refused(1, [reason]))
    expect(await world.days()).toEqual(before)
    expect(await history()).toEqual(['a 2026-01-01Z'])
    await world.owner.query('DELETE FROM sensor_days WHERE date >= $1', ['2026-02-18'])
    expect(await give('removed_at', '2026-02-18Z')).toEqual(stored(1))
  })

  test('may be its whole history in any order, beside that of another', async () => {
    await countHours('2026-02-01', '2026-03-01')
    const file = [
      `id,serial,${NEW},removed_at`,
      ',S,M3,Hour,1,2026-02-20T00:00Z,',
      ',S,M1,Hour,1,2026-01-01T00:00Z,',
      ',S,M2,Hour,2,2026-02-10T00:00Z,',
      ',NEW,M2,Hour,2,2026-02-10T00:00Z,',
      'newsensor1,NEW,M1,Hour,1,2026-01-01T00:00Z,2026-01-10T00:00Z',
    ]
    expect(await world.import('sensors', file)).toEqual(stored(5))
    expect(await totals()).toEqual(['a 432 2026-02-01 2026-03-01', 'b 240 2026-02-09 2026-02-19'])
    expect(await sensors()).toMatchObject([
      { serial: 'NEW', id: 'newsensor1', model: 'M2', installed_at: '2026-02-10T00:00:00Z' },
      { serial: 'S', id: expect.not.stringMatching('newsensor1'), model: 'M3', installed_at: '2026-02-20T00:00:00Z' },
    ])
    expect(await world.import('sensors', file)).toEqual(unchanged(5))
  })

  test('that are faulty leave its counts where they are, while other sensors move', async () => {
    await world.import('sensors', [`serial,${NEW}`, 'T,M,Hour,1,2026-01-01'])
    await countHours('2026-02-01', '2026-02-03')
    await world.import('impressions', ['sensor,start,impressions', 'T,2026-02-01T00:00Z,1', 'T,2026-02-02T00:00Z,1'])
    const file = [`serial,${PLACE}`, 'S,2,2026-02-02T00:00Z', 'T,3,2026-02-02T00:00Z']
    expect(await world.import('sensors', file, { skipFaulty: true })).toMatchObject({ stored: 1, rejected: 1 })
    expect(await totals()).toEqual(['a 26 2026-02-01 2026-02-02', 'b 24 2026-02-01 2026-02-02'])
  })

  describe('of another grain', () => {
    const QUARTERS = 'M,Quarter,1,2026-02-10'

    test('leave the earlier counts their grain, and the new ones have the new grain', async () => {
      await countHours('2026-02-01', '2026-02-09T23:00Z')
      expect(await give(NEW, QUARTERS)).toEqual(stored(1))
      await count('2026-02-10T00:15,7')
      expect(
        await world.rows('SELECT native_minutes, min(date) AS first FROM sensor_days GROUP BY 1 ORDER BY 1'),
      ).toEqual([
        { native_minutes: 15, first: '2026-02-10' },
        { native_minutes: 60, first: '2026-02-01' },
      ])
      expect(
        await world.rows(`SELECT native_minutes, sensor_minutes FROM sensors s JOIN assets a ON a.number = s.asset`),
      ).toEqual([{ native_minutes: 15, sensor_minutes: 15 }])
      expect(await give(NEW, QUARTERS)).toEqual(unchanged(1))
    })

    test('have to begin with a local day, unless the sensor moves', async () => {
      expect(await give(NEW, `${QUARTERS}T12:00Z`)).toEqual(
        refused(1, [
          '2: installed_at has to be the start of a local day, because the sensor counts another grain from then on: ' +
            '2026-02-10T00:00+01:00 or 2026-02-11T00:00+01:00',
        ]),
      )
      expect(await give(NEW, 'M,Quarter,2,2026-02-10T12:00Z')).toEqual(stored(1))
    })

    test('are refused while there are later counts of the old one, and limit the zones of the asset', async () => {
      await countHours('2026-02-09', '2026-02-10')
      expect(await world.import('assets', ['legacy_id,time_zone', '1,Asia/Kathmandu'])).toEqual(
        refused(1, [
          /^2: 24 stored counts of sensor "S" from 2026-02-09T01:00\+01:00 to .* would not begin where an interval/,
        ]),
      )
      expect(await give(NEW, QUARTERS)).toEqual(
        refused(1, [/^2: 1 stored count at 2026-02-10T00:00\+01:00 would not have the grain of the sensor:/]),
      )
      await world.rows('DELETE FROM sensor_days')
      expect(await give(NEW, QUARTERS)).toEqual(stored(1))
      expect(await world.import('assets', ['legacy_id,time_zone', '1,America/New_York'])).toEqual(
        refused(1, ['2: sensor "S" would count two grains on one local day: change its installed_at first']),
      )
    })
  })
})
