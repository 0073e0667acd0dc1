import type { MadeAsset } from '../support/factories'
import { refused, stored, unchanged } from '../support/outcomes'
import { World } from '../support/world'

describe('sensors', () => {
  let world: World
  let berlin: MadeAsset
  let auckland: MadeAsset
  beforeAll(async () => {
    world = await World.open()
  })
  afterAll(() => world.stop())
  beforeEach(async () => {
    await world.clear()
    await world.make.together(async make => {
      const company = await make.company()
      berlin = await make.asset({ company, name: 'berlin', legacy_id: 11 })
      auckland = await make.asset({ company, name: 'auckland', time_zone: 'Pacific/Auckland' })
      await make.vendor('minute', { id: 'vendorown1', name: 'Own' })
      await make.vendor('quarter_hour', { id: 'vendorqua1', name: 'Quarter' })
      await make.vendor('hour', { id: 'vendorhour', name: 'Hour' })
    })
  })

  const HEADER = 'id,serial,model,vendor_id,asset_id,billable_state,installed_at,removed_at'
  const sensors = () =>
    world.rows(`SELECT s.id, serial, model, v.name AS vendor, s.native_minutes, a.name AS asset, s.company = a.company AS belongs,
      billable_state, installed_at, removed_at
      FROM sensors s JOIN vendors v ON v.number = s.vendor LEFT JOIN assets a ON a.number = s.asset ORDER BY serial`)
  const history = async () =>
    (
      await world.rows(`SELECT a.name AS asset, i.installed_at, i.removed_at FROM installations i
        JOIN assets a ON a.number = i.asset ORDER BY i.installed_at`)
    ).map(({ asset, installed_at, removed_at }) =>
      `${asset} ${installed_at} ${removed_at}`.replaceAll('T00:00:00Z', ''),
    )
  const move = (columns: string, values: string) => world.import('sensors', [`serial,${columns}`, `S1,${values}`])
  const install = (asset: MadeAsset, since: string) =>
    world.import('sensors', [HEADER, `,S1,M,Own,${asset.id},billable,${since},`])

  test('are stored with every field, refer by id, name or legacy id, and importing the file again changes nothing', async () => {
    const file = [
      HEADER,
      `sensorone1,S1,M1,vendorown1,11,billable,2026-01-01T00:00:00Z,2026-02-01T00:00:00.5Z`,
      `,S2,M2,Hour,${auckland.id},,2026-01-01,`,
      ',S3,M3,Quarter,,retired,,',
    ]
    expect(await world.import('sensors', file)).toEqual(stored(3))
    const before = await sensors()
    expect(before).toMatchObject([
      {
        id: 'sensorone1',
        vendor: 'Own',
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
    expect(await history()).toEqual(['auckland 2025-12-31T11:00:00Z null', 'berlin 2026-01-01 2026-02-01T00:00:00.5Z'])
  })

  test('have local dates and times in the time zone of their asset, given or stored', async () => {
    await install(berlin, '2026-07-01')
    expect((await sensors())[0]).toMatchObject({ installed_at: '2026-06-30T22:00:00Z' })
    await move('removed_at', '2026-12-24 18:30')
    expect((await sensors())[0]).toMatchObject({ removed_at: '2026-12-24T17:30:00Z' })
    await move('removed_at', '2026-12-24T18:30:15+05:30')
    expect((await sensors())[0]).toMatchObject({ removed_at: '2026-12-24T13:00:15Z' })
    expect(await move('removed_at', '2027-03-28T02:30')).toMatchObject({
      errors: [expect.stringMatching(/must be a timestamp/)],
    })
  })

  test('are rejected with the reason', async () => {
    const reasons: [header: string, row: string, reason: string | RegExp][] = [
      ['serial,model', 'S9,M', 'vendor_id is required for a new sensor'],
      ['serial,model,vendor_id,asset_id', 'S9,M,Own,11', 'installed_at is required for a sensor on an asset'],
      ['serial,model,vendor_id', 'S9,M,Nobody', 'vendor_id "Nobody" is unknown'],
      ['serial,asset_id', 'S1,12', 'asset_id "12" is unknown'],
      ['serial,installed_at', 'S1,', 'installed_at is required for a sensor on an asset'],
      ['serial,removed_at', 'S1,2025-12-31', 'removed_at is not after installed_at'],
      ['serial,asset_id,removed_at', 'S1,,2025-12-31', 'removed_at is not after installed_at'],
      ['serial,installed_at,removed_at', 'S1,2026-01-01,2026-01-01', 'removed_at is not after installed_at'],
      ['serial,removed_at', 'S1,tomorrow', /removed_at is "tomorrow", but must be a timestamp/],
      ['id,serial', 'sensorxyz1,S1', /serial "S1" belongs to the sensor/],
    ]
    await install(berlin, '2026-01-01')
    for (const [header, row, reason] of reasons) {
      const expected = typeof reason === 'string' ? `2: ${reason}` : reason
      expect(await world.import('sensors', [header, row])).toEqual(refused(1, [expected]))
    }
  })

  test('can change to a vendor of another grain before they have counted', async () => {
    await install(berlin, '2026-01-01')
    expect(await move('vendor_id', 'Hour')).toEqual(stored(1))
    expect(await world.rows('SELECT native_minutes FROM installations')).toEqual([{ native_minutes: 60 }])
    expect(await move('vendor_id', 'Own')).toEqual(stored(1))
    await world.import('impressions', ['sensor,start,impressions', 'S1,2026-03-01T12:00,5', 'S1,2026-03-02T12:00,5'])
    expect(await move('vendor_id', 'Hour')).toEqual(
      refused(1, [
        '2: 2 stored counts from 2026-03-01T12:00+01:00 to 2026-03-02T12:00+01:00 would not have the grain of the ' +
          'sensor: give the local midnight after them as installed_at, from which on the sensor counts the other ' +
          'grain, or delete them first (partner-metrics delete impressions)',
      ]),
    )
  })

  describe('whose row has no installed_at', () => {
    const count = (date: string, start = '12:00') =>
      world.import('impressions', ['sensor,start,impressions', `S1,${date}T${start},5`])

    test('keep all days with counts on the asset that they leave', async () => {
      await install(berlin, '2026-01-01T00:00Z')
      await count('2026-02-10')
      expect(await move('asset_id', auckland.id)).toEqual(stored(1))
      expect(await history()).toEqual(['berlin 2026-01-01 2026-02-10T23:00:00Z', 'auckland 2026-02-10T23:00:00Z null'])
      expect(await sensors()).toMatchObject([{ installed_at: '2026-02-10T23:00:00Z', removed_at: null }])
      await count('2026-02-12')
      expect((await world.days()).map(({ asset, date }) => [asset, date])).toEqual([
        ['auckland', '2026-02-12'],
        ['berlin', '2026-02-10'],
      ])
      expect(await move('asset_id', auckland.id)).toEqual(unchanged(1))
    })

    test('were never on the asset that they leave if they have not counted there', async () => {
      await install(berlin, '2026-01-01T00:00Z')
      await move('asset_id', auckland.id)
      expect(await history()).toEqual(['auckland 2026-01-01 null'])
    })

    test('move when they were removed', async () => {
      await install(berlin, '2026-01-01T00:00Z')
      await move('removed_at', '2026-01-20T00:00Z')
      await move('asset_id', auckland.id)
      expect(await history()).toEqual(['berlin 2026-01-01 2026-01-20', 'auckland 2026-01-20 null'])
    })

    test.each([
      ['serial,removed_at', 'S1,2026-01-20T00:00Z'],
      ['serial,asset_id,removed_at', 'S1,,2026-01-20T00:00Z'],
      ['serial,asset_id,installed_at', 'S1,,2026-01-20T00:00Z'],
      ['serial,asset_id,installed_at,removed_at', 'S1,,2026-01-20T00:00Z,2026-01-20T00:00Z'],
    ])('were never moved if they were removed when they arrived, as %s says', async (header, row) => {
      await install(berlin, '2026-01-01T00:00Z')
      await world.import('sensors', ['serial,asset_id,installed_at', `S1,${auckland.id},2026-01-20T00:00Z`])
      expect(await world.import('sensors', [header, row])).toEqual(stored(1))
      expect(await history()).toEqual(['berlin 2026-01-01 2026-01-20'])
      expect(await sensors()).toMatchObject([{ asset: null }])
      expect(await world.import('sensors', [header, row])).toEqual(unchanged(1))
    })

    test.each([
      ['serial,removed_at', 'S1,2026-01-01T00:00Z'],
      ['serial,asset_id,removed_at', 'S1,,2026-01-01T00:00Z'],
      ['serial,asset_id,installed_at', 'S1,,2026-01-01T00:00Z'],
    ])('were never installed if they were removed when they were, as %s says', async (header, row) => {
      await install(berlin, '2026-01-01T00:00Z')
      expect(await world.import('sensors', [header, row])).toEqual(stored(1))
      expect(await history()).toEqual([])
      expect(await world.import('sensors', [header, row])).toEqual(unchanged(1))
    })

    test.each([
      ['after the rows of its assets', [0, 1, 2]],
      ['before them', [2, 1, 0]],
    ])('are removed in the time zone of the asset that they leave by a row %s', async (_, order) => {
      const rows = [
        `,S1,M,Own,${berlin.id},,2017-01-01,`,
        `,S1,M,Own,${auckland.id},,2017-06-01,`,
        ',S1,M,Own,,,2018-01-01,',
      ]
      const outcome = await world.import('sensors', [HEADER, ...order.map(i => rows[i] as string)])
      expect(outcome).toEqual(stored(3))
      expect(await history()).toEqual([
        'berlin 2016-12-31T23:00:00Z 2017-05-31T12:00:00Z',
        'auckland 2017-05-31T12:00:00Z 2017-12-31T11:00:00Z',
      ])
      // It is on no asset now: the stored history has the time zone.
      expect(await move('removed_at', '2018-02-01')).toEqual(stored(1))
      expect((await history())[1]).toMatch(/ 2018-01-31T11:00:00Z$/)
      expect(await move('asset_id,installed_at', ',2017-03-01')).toEqual(stored(1))
      expect(await history()).toEqual(['berlin 2016-12-31T23:00:00Z 2017-02-28T23:00:00Z'])
    })

    test('are on an asset by its name, if no other has it', async () => {
      expect(await world.import('sensors', [HEADER, ',S1,M,Own,auckland,,2018-01-01,'])).toEqual(stored(1))
      expect(await history()).toEqual(['auckland 2017-12-31T11:00:00Z null'])
      await world.make.asset({ name: 'auckland' })
      expect(await world.import('sensors', [HEADER, ',S2,M,Own,auckland,,2018-01-01,'])).toEqual(
        refused(1, ['2: asset_id "auckland" is the name of 2 assets: give its id or legacy_id']),
      )
      const misspelt = await world.import('sensors', [HEADER, ',S2,M,Own,berlinn,,2018-01-01,'])
      expect(misspelt.errors).toEqual(['2: asset_id "berlinn" is unknown: did you mean "berlin"?'])
    })

    test('are installed on the first day of a year', async () => {
      const rows = [HEADER, `,S1,M,Own,${berlin.id},,2018,`]
      expect(await world.import('sensors', rows)).toEqual(stored(1))
      expect(await world.import('sensors', rows, { timeFormat: ['dd.MM.yyyy', 'yyyy'] })).toEqual(unchanged(1))
      expect(await history()).toEqual(['berlin 2017-12-31T23:00:00Z null'])
      const removed = await world.import('sensors', [HEADER, `,S1,M,Own,${berlin.id},,2018,2019`], {
        timeFormat: ['yyyy'],
      })
      expect(removed.errors).toEqual([expect.stringMatching(/^2: removed_at is "2019", but must be/)])
    })

    test('name the faulty time of a row without an asset with its line', async () => {
      const { errors } = await world.import('sensors', [HEADER, ',S1,M,Own,,,soon,'])
      expect(errors).toEqual([expect.stringMatching(/^2: installed_at is "soon", but must be .*; expected: /)])
    })

    test('are removed now, or after their last day with counts, when asset_id is empty', async () => {
      await install(berlin, '2026-01-01T00:00Z')
      await move('asset_id', '')
      const [{ now } = {}] = await world.rows('SELECT now() AS now')
      const removed = (await history())[0]?.split(' ')[2]
      expect(Math.abs(Date.parse(removed as string) - Date.parse(now as string))).toBeLessThan(60_000)
      expect(await sensors()).toMatchObject([{ asset: null, belongs: null, removed_at: removed }])
      expect(await move('asset_id', '')).toEqual(unchanged(1))
    })
  })
})
