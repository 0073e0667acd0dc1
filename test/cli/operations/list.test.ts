import { runOnTerminal, testOnTerminal } from '../../support/command'
import { run, runJson } from '../../support/in-process'
import { fillNetwork, type Network, openNetwork } from './network'

jest.setTimeout(60_000)

describe('partner-metrics', () => {
  let network: Network
  let first: string
  let other: string
  beforeAll(async () => {
    network = await openNetwork()
    await fillNetwork(network)
    first = await network.assetId(101)
    other = await network.assetId(201)
  })
  afterAll(() => network.imports.stop())

  const list = async (kind: string) => (await runJson(['list', kind], network.env)).document
  const show = (kind: string, id: string) => runJson(['show', kind, id], network.env)

  test('list companies prints their numbers of assets, sensors and keys', async () => {
    const { id } = (await runJson(['keys', 'issue', '--company', 'Alder Ltd'], network.env)).document
    const measured = { measured_from: '2026-01-01', measured_to: '2026-01-04' }
    const alder = { id: 'companyalder', name: 'Alder Ltd', assets: 2, sensors: 2, keys: 1, ...measured }
    expect(await list('companies')).toEqual({
      rows: [alder, { ...alder, id: 'companybirch', name: 'Birch Ltd', assets: 1, keys: 0 }],
    })
    expect(await show('companies', 'Alder Ltd')).toEqual({ code: 0, document: alder })
    expect((await list('keys')).rows).toMatchObject([{ id, companies: [{ id: 'companyalder', name: 'Alder Ltd' }] }])
    expect((await show('keys', id)).document).toEqual((await runJson(['keys', 'show', id], network.env)).document)
    const { stdout } = await run(['list', 'companies'], network.env)
    expect(stdout).toMatch(/│ companyalder │ Alder Ltd │ {6}2 │ {7}2 │ {4}1 │/)
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
    await network.imports.import('assets', [header, `twinofalder,${twin}`])
    const { code, document } = await show('assets', 'Alder 101')
    expect([code, document.error.code]).toEqual([1, 'AMBIGUOUS_ASSET'])
    expect(document.error.message).toContain('there are 2 assets with the name "Alder 101"')
    await network.imports.rows('DELETE FROM assets WHERE id = $1', ['twinofalder'])
  })

  test('show sensors prints all installations of a sensor', async () => {
    const { document } = await show('sensors', 'SN-2')
    const installation = { finest_grain: 'quarter_hour' }
    expect(document).toEqual({
      ...{ id: expect.any(String), serial: 'SN-2', model: 'M', vendor: 'CountBox', finest_grain: 'quarter_hour' },
      ...{
        asset_id: other,
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
    const { stdout } = await run(['show', 'sensors', document.id], network.env)
    expect(stdout).toContain('serial               SN-2\n')
    expect(stdout.match(/2026-01-03T00:00:00/g)).toHaveLength(3)
  })

  test('list imports prints the imports, latest first', async () => {
    const files = ['a', 'b'].map(name => `${name}.csv`)
    for (const file of files) {
      await network.imports.import('companies', ['id,name', 'companybirch,Birch Ltd'], {
        details: { file, skipFaulty: true },
      })
    }
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

  describe('tables', () => {
    const name = 'The long wall at the northern entrance of the central station, above the stairs'
    const kinds = ['companies', 'vendors', 'assets', 'sensors', 'keys', 'imports']
    beforeAll(() => network.imports.make.asset({ name }))

    testOnTerminal('fit the terminal', () => {
      for (const kind of kinds) {
        for (const line of runOnTerminal(['list', kind], network.env, 80))
          expect([kind, [...line].length <= 80, line]).toEqual([kind, true, line])
      }
      expect(runOnTerminal(['list', 'assets'], network.env, 80).join()).toContain('…')
      expect(runOnTerminal(['list', 'assets'], network.env, 200).join()).toContain(name)
    })

    testOnTerminal('never truncate ids, not even where they do not fit', () => {
      const text = runOnTerminal(['list', 'sensors'], network.env, 20).join()
      for (const id of [first, other, 'SN-1', 'SN-5']) expect(text).toContain(id)
    })

    test('are whole in a pipe', async () => {
      const stdouts = await Promise.all(kinds.map(async kind => (await run(['list', kind], network.env)).stdout))
      expect(stdouts.join()).toContain(name)
      expect(stdouts.join()).not.toContain('…')
    })
  })

  test('long lists are printed in parts, as one table and one document', async () => {
    const company = await network.imports.make.company('Cedar Ltd')
    await network.imports.rows(
      `INSERT INTO assets (id, company, company_id, name, media_type, format, status, indoors, latitude, longitude, country, time_zone)
       SELECT 'assetnumber' || i, $1, '', 'Cedar ' || repeat('-', i / 100) || i, 'static', 'other', 'active', false, 1, 1, 'GB', 'Etc/UTC' FROM generate_series(1, 1200) i`,
      [company.number],
    )
    const { rows } = await list('assets')
    expect(rows).toHaveLength(1204)
    const { stdout } = await run(['list', 'assets'], network.env)
    const lines = stdout.trimEnd().split('\n')
    expect(lines).toHaveLength(1204 + 4)
    expect(new Set(lines.map(line => [...line].length)).size).toBe(1)
    expect(lines.filter(line => /┌|└|├/.test(line))).toHaveLength(3)
    expect(stdout).toContain(' Cedar ------------1200 ')
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
    const empty = await openNetwork()
    expect(await run(['list', 'sensors'], empty.env)).toEqual({ code: 0, stdout: 'there are no sensors\n', stderr: '' })
    expect((await runJson(['list', 'sensors'], empty.env)).document).toEqual({ rows: [] })
    await empty.imports.stop()
  })
})
