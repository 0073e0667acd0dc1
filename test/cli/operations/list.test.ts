import { runOnTerminal, testOnTerminal } from '../../support/command'
import { settingsOf } from '../../support/databases'
import { World } from '../../support/world'
import { assetId, fillNetwork } from './network'

jest.setTimeout(60_000)

describe('partner-metrics', () => {
  let world: World
  let first: string
  let other: string
  beforeAll(async () => {
    world = await World.open()
    await fillNetwork(world)
    first = await assetId(world, 101)
    other = await assetId(world, 201)
  })
  afterAll(() => world.stop())

  const list = async (kind: string) => (await world.runJson(['list', kind])).document
  const show = (kind: string, id: string) => world.runJson(['show', kind, id])
  const onTerminal = (kind: string, columns: number) =>
    runOnTerminal(['list', kind], settingsOf(world.database), columns)

  test('list companies prints their numbers of assets, sensors and keys', async () => {
    const { id } = (await world.runJson(['keys', 'issue', '--company', 'Alder Ltd'])).document
    const measured = { measured_from: '2026-01-01', measured_to: '2026-01-04' }
    const alder = { id: 'companyalder', name: 'Alder Ltd', assets: 2, sensors: 2, keys: 1, ...measured }
    expect(await list('companies')).toEqual({
      rows: [alder, { ...alder, id: 'companybirch', name: 'Birch Ltd', assets: 1, keys: 0 }],
    })
    expect(await show('companies', 'Alder Ltd')).toEqual({ code: 0, document: alder })
    expect((await list('keys')).rows).toMatchObject([{ id, companies: [{ id: 'companyalder', name: 'Alder Ltd' }] }])
    const { stdout } = await world.run(['list', 'companies'])
    expect(stdout).toMatch(/\ncompanyalder\tAlder Ltd\t2\t2\t1\n/)
  })

  test('list vendors and show vendors print their grain', async () => {
    const vendor = { id: 'vendorcountbox', name: 'CountBox', own: false, finest_grain: 'quarter_hour', sensors: 5 }
    expect(await list('vendors')).toEqual({ rows: [vendor] })
    expect(await show('vendors', 'CountBox')).toEqual({ code: 0, document: vendor })
  })

  test('list assets prints all columns, and show assets the installations too', async () => {
    const { rows } = await list('assets')
    expect(rows.map((row: { legacy_id: number }) => row.legacy_id)).toEqual([101, 102, 201])
    const asset = {
      ...{ id: first, legacy_id: 101, name: 'Alder 101', company_id: 'companyalder', company: 'Alder Ltd' },
      ...{ description: null, media_type: 'digital', format: 'billboard', venue_type_id: null, status: 'active' },
      ...{ indoors: false, facing_degrees: null, width_m: null, height_m: null, latitude: 1, longitude: 1 },
      ...{ address: null, city: null, region: null, postal_code: null, country: 'GB', time_zone: 'Etc/UTC' },
      ...{ finest_grain: 'quarter_hour', sensor_ids: [expect.any(String)] },
      ...{ measured_from: '2026-01-01', measured_to: '2026-01-04' },
      ...{ created_at: expect.stringMatching(/Z$/), updated_at: expect.stringMatching(/Z$/) },
      ...{ venue_taxonomy: null, external_ids: {} },
    }
    expect(rows[0]).toEqual(asset)
    const installation = {
      sensor_id: expect.any(String),
      finest_grain: 'quarter_hour',
      installed_at: '2026-01-01T00:00:00Z',
    }
    const removed_at = '2026-01-03T00:00:00Z'
    expect((await show('assets', '101')).document).toEqual({
      ...asset,
      installations: [
        { ...installation, serial: 'SN-1', removed_at: null },
        { ...installation, serial: 'SN-2', removed_at },
        { ...installation, serial: 'SN-3', removed_at },
      ],
    })
  })

  test('show assets finds an asset by its name, unless others have the same', async () => {
    expect((await show('assets', 'Alder 101')).document).toEqual((await show('assets', '101')).document)
    const twin = 'companyalder,Alder 101,digital,billboard,1,1,GB,Etc/UTC'
    const header = 'id,company_id,name,media_type,format,latitude,longitude,country,time_zone'
    await world.import('assets', [header, `twinofalder,${twin}`])
    const { code, document } = await show('assets', 'Alder 101')
    expect([code, document.error.code]).toEqual([1, 'AMBIGUOUS_ASSET'])
    expect(document.error.message).toContain('there are 2 assets with the name "Alder 101"')
    await world.rows('DELETE FROM assets WHERE id = $1', ['twinofalder'])
  })

  test('show sensors prints all installations of a sensor, and no check from before the last one', async () => {
    await world.import('health', ['sensor,checked_at,status', 'SN-2,2026-01-02T09:00:00Z,offline'])
    const { document } = await show('sensors', 'SN-2')
    const installation = { finest_grain: 'quarter_hour' }
    expect(document).toEqual({
      ...{ id: expect.any(String), serial: 'SN-2', model: 'M', vendor: 'CountBox', finest_grain: 'quarter_hour' },
      ...{
        asset_id: other,
        asset: 'Birch 201',
        billable_state: 'pending',
        installed_at: '2026-01-03T00:00:00Z',
        installed_on: '2026-01-03',
        removed_at: null,
      },
      ...{ health_status: null, health_checked_at: null, health_last_seen_at: null, health_reason: null },
      measured_to: '2026-01-04',
      installations: [
        {
          ...{ ...installation, asset_id: first, asset: 'Alder 101' },
          ...{ installed_at: '2026-01-01T00:00:00Z', removed_at: '2026-01-03T00:00:00Z' },
        },
        {
          ...{ ...installation, asset_id: other, asset: 'Birch 201' },
          ...{ installed_at: '2026-01-03T00:00:00Z', removed_at: null },
        },
      ],
    })
    const { installations: _all, ...row } = document
    expect((await list('sensors')).rows[1]).toEqual(row)
    const { stdout } = await world.run(['show', 'sensors', document.id])
    expect(stdout).toContain('serial               SN-2\n')
    expect(stdout.match(/2026-01-03T00:00:00/g)).toHaveLength(3)
  })

  test('list imports prints the imports, latest first', async () => {
    const files = ['a', 'b'].map(name => `${name}.csv`)
    for (const file of files) {
      await world.import('companies', ['id,name', 'companybirch,Birch Ltd'], {
        details: { file, skipFaulty: true },
      })
    }
    expect(await world.run(['import', 'vendors', '-'], 'no,such\n1,2\n')).toMatchObject({ code: 1 })
    const { rows } = await list('imports')
    expect(rows.map(({ file }: { file: string }) => file)).toEqual(['b.csv', 'a.csv'])
    expect(rows[0]).toEqual({
      ...{
        id: expect.any(Number),
        at: expect.any(String),
        account: expect.any(String),
        kind: 'companies',
        file: 'b.csv',
      },
      options: { file: 'b.csv', skipFaulty: true },
      figures: expect.objectContaining({ read: 1, stored: 0, unchanged: 1 }),
    })
    expect((await show('imports', String(rows[0].id))).document).toEqual(rows[0])
  })

  describe('a table', () => {
    const name = 'The long wall at the northern entrance of the central station, above the stairs'
    beforeAll(() => world.make.asset({ name }))

    testOnTerminal('fits the terminal, but never truncates ids', () => {
      const narrow = onTerminal('assets', 80)
      expect(narrow.filter(line => [...line].length > 80)).toEqual([])
      expect(narrow.join()).toContain('…')
      expect(onTerminal('assets', 200).join()).toContain(name)
      const ids = onTerminal('sensors', 20).join()
      for (const id of [first, other, 'SN-1', 'SN-5']) expect(ids).toContain(id)
    })

    test('is whole in a pipe', async () => {
      const { stdout } = await world.run(['list', 'assets'])
      expect([stdout.includes(name), stdout.includes('…')]).toEqual([true, false])
    })
  })

  test('long lists are printed as one table and one document', async () => {
    const company = await world.make.company('Cedar Ltd')
    await world.rows(
      `INSERT INTO assets (id, company, company_id, name, media_type, format, status, indoors, latitude, longitude, country, time_zone)
       SELECT 'assetnumber' || i, $1, '', 'Cedar ' || repeat('-', i / 100) || i, 'static', 'other', 'active', false, 1, 1, 'GB', 'Etc/UTC' FROM generate_series(1, 1200) i`,
      [company.number],
    )
    const { rows } = await list('assets')
    expect(rows).toHaveLength(1204)
    const { stdout } = await world.run(['list', 'assets'])
    const lines = stdout.split('\n').slice(0, -1)
    expect(lines).toHaveLength(1204 + 1)
    expect(new Set(lines.map(line => line.split('\t').length)).size).toBe(1)
    expect(stdout).toContain('\tCedar ------------1200\t')
  })

  test.each([
    ['companies', 'Alder', 'UNKNOWN_COMPANY', 'did you mean "Alder Ltd"?'],
    ['vendors', 'countbox', 'UNKNOWN_VENDOR', 'did you mean "CountBox"?'],
    ['assets', '77', 'UNKNOWN_ASSET', '"77" (`partner-metrics list assets` shows all)'],
    ['sensors', 'SN2', 'UNKNOWN_SENSOR', 'did you mean "SN-2"?'],
    ['keys', 'nokey', 'UNKNOWN_KEY', 'there is no key'],
    ['imports', '4711', 'UNKNOWN_IMPORT', 'there is no import'],
    ['imports', 'x', 'UNKNOWN_IMPORT', 'there is no import'],
  ])('show %s reports that %s is unknown', async (kind, id, code, message) => {
    const ended = await show(kind, id)
    expect(ended).toEqual({ code: 1, document: { error: { code, message: expect.stringContaining(message) } } })
  })

  test('an empty list is reported in words', async () => {
    await world.clear()
    expect(await world.run(['list', 'sensors'])).toEqual({ code: 0, stdout: 'there are no sensors\n', stderr: '' })
    expect(await list('sensors')).toEqual({ rows: [] })
  })
})
