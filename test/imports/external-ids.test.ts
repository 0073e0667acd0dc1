/** Imports of the ids of assets in other systems, and of the versions of OpenOOH that have their venue types. */
import { refused, stored, unchanged } from '../support/outcomes'
import { World } from '../support/world'

let world: World

const HEADER = 'legacy_id,company_id,name,media_type,format,latitude,longitude,country,time_zone'
const asset = (id: number) => `${id},Alder,Asset ${id},digital,billboard,52.5,13.4,DE,Europe/Berlin`

beforeAll(async () => {
  world = await World.open()
})
afterAll(() => world.stop())
beforeEach(async () => {
  await world.clear()
  await world.import('companies', ['name', 'Alder'])
  const created = await world.import('assets', [
    `${HEADER},external_id:hivestack,external_id:place_exchange`,
    `${asset(1)},  93701 ,PX:1`,
    `${asset(2)},,PX:1`,
  ])
  expect(created).toEqual(stored(2))
})

const idsOf = async () => {
  const rows = await world.rows('SELECT external_ids FROM assets ORDER BY legacy_id')
  return rows.map(({ external_ids }) => external_ids)
}
const keys = async () =>
  (await world.rows('SELECT key FROM asset_external_ids ORDER BY key, asset')).map(({ key }) => key)

const BEFORE = [{ hivestack: '93701', place_exchange: 'PX:1' }, { place_exchange: 'PX:1' }]

describe('columns external_id:NAME', () => {
  test('are the ids of their systems, without the blanks around them, and the same file again changes nothing', async () => {
    expect(await idsOf()).toEqual(BEFORE)
    expect(await keys()).toEqual(['hivestack:93701', 'place_exchange:PX:1', 'place_exchange:PX:1'])
    const again = ['legacy_id,external_id:hivestack,external_id:place_exchange', '1,93701,PX:1', '2,,PX:1']
    expect(await world.import('assets', again)).toEqual(unchanged(2))
  })

  test('change the ids of their systems alone: an empty one is removed, and a file without them changes none', async () => {
    expect(await world.import('assets', ['legacy_id,name', '1,Renamed'])).toEqual(stored(1))
    expect(await idsOf()).toEqual(BEFORE)
    const file = ['legacy_id,external_id:place_exchange,external_id:new-1', '1,,A', '2,PX:2,']
    expect(await world.import('assets', file)).toEqual(stored(2))
    expect(await idsOf()).toEqual([{ hivestack: '93701', 'new-1': 'A' }, { place_exchange: 'PX:2' }])
    expect(await keys()).toEqual(['hivestack:93701', 'new-1:A', 'place_exchange:PX:2'])
  })

  test('can be mapped, set for all rows, and have values that mean none', async () => {
    const options = {
      map: [['external_id:broadsign', 'Display Unit']],
      set: [['external_id:all', 'same']],
      missing: ['n/a'],
    } as const
    const file = ['legacy_id,Display Unit,external_id:hivestack', '1,77,n/a', '2,n/a,5']
    expect(await world.import('assets', file, options)).toEqual(stored(2))
    expect(await idsOf()).toEqual([
      { all: 'same', broadsign: '77', place_exchange: 'PX:1' },
      { all: 'same', hivestack: '5', place_exchange: 'PX:1' },
    ])
  })

  test('are gone with their asset', async () => {
    await world.owner.query('DELETE FROM assets WHERE legacy_id = 1')
    expect(await keys()).toEqual(['place_exchange:PX:1'])
  })

  test('with other names are unknown, and the right name is told where it can be', async () => {
    const names: [column: string, suggestion: string | undefined][] = [
      ['external_ids:hivestack', 'external_id:hivestack'],
      ['externalid:hivestack', 'external_id:hivestack'],
      ['external_ids_hivestack', 'external_id:hivestack'],
      ['External ID: Place Exchange', 'external_id:Place_Exchange'],
      ['external-id: SAP', 'external_id:SAP'],
      ['external_id:', undefined],
      ['hivestack', undefined],
    ]
    for (const [column, suggestion] of names) {
      const { errors } = await world.import('assets', [`legacy_id,${column}`, '1,x'])
      const named = suggestion === undefined ? `"${column}"` : `"${column}" (${suggestion}?)`
      expect(errors[0]).toContain(`has unknown columns: ${named}. The columns are id, legacy_id, company_id,`)
      expect(errors[0]).toContain('and external_id:NAME, where NAME must be 1 to 32 letters, digits, hyphens and')
    }
  })

  test('are refused with longer ids, for other kinds, and for more systems than an asset can have', async () => {
    const long = await world.import('assets', ['legacy_id,external_id:hivestack', `1,${'x'.repeat(201)}`])
    expect(long.errors[0]).toMatch(/^2: external_id:hivestack is ".*, but must be text of at most 200 characters$/)
    const { errors } = await world.import('companies', ['name,external_id:hivestack', 'Alder,1'])
    expect(errors[0]).toMatch(/has unknown columns: "external_id:hivestack"\. The columns are id, name; rename/)
    const systems = (n: number) => Array.from({ length: n }, (_, i) => `external_id:system${i}`)
    const row = (n: number) => `1,${Array(n).fill('x').join()}`
    expect((await world.import('assets', [`legacy_id,${systems(51)}`, row(51)])).errors).toEqual([
      'file: has 51 columns external_id:NAME: an asset has at most 50 ids in other systems',
    ])
    expect((await world.import('assets', [`legacy_id,${systems(49)}`, row(49)])).errors).toEqual([
      '2: an asset has at most 50 ids in other systems, but this one would have 51',
    ])
    expect(await world.import('assets', [`legacy_id,${systems(48)}`, row(48)])).toEqual(stored(1))
  })

  test('of two rows of one asset must be equal', async () => {
    const file = ['legacy_id,external_id:hivestack', '1,5', '1,6']
    expect(await world.import('assets', file)).toEqual(refused(2, ['3: the asset has other values on line 2']))
  })
})

describe('venue_taxonomy', () => {
  const setVenue = (id: string | number, taxonomy: string) =>
    world.import('assets', ['legacy_id,venue_type_id,venue_taxonomy', `1,${id},${taxonomy}`])
  const venue = () => world.rows('SELECT venue_type_id, venue_taxonomy FROM assets WHERE legacy_id = 1')

  test('accepts the ids of its version, and refuses others by name', async () => {
    const accepted: [id: string | number, taxonomy: string, stored: string | null][] = [
      [303, '1.0', '1.0'],
      [60203, 'OpenOOH 1.1', '1.1'],
      [30801, 'openooh_1.2.1', '1.2.1'],
      [10109, '1.2.1', '1.2.1'],
      [99999, '', null],
      ['', '1.1', '1.1'],
    ]
    for (const [id, taxonomy, stored] of accepted) {
      expect((await setVenue(id, taxonomy)).errors).toEqual([])
      expect(await venue()).toEqual([{ venue_type_id: id === '' ? null : id, venue_taxonomy: stored }])
    }
    const refusals: [id: number, taxonomy: string, reason: string][] = [
      [
        304,
        '1.1',
        'is not in OpenOOH 1.1 (venue_taxonomy): expected one of its 99 ids, such as 3; it is in OpenOOH 1.2.1',
      ],
      [
        60201,
        '1.0',
        'is not in OpenOOH 1.0 (venue_taxonomy): expected one of its 86 ids, such as 602; it is in OpenOOH 1.1 and 1.2.1',
      ],
      [30304, '1.2.1', 'is not in OpenOOH 1.2.1 (venue_taxonomy): expected one of its 211 ids, such as 303'],
      [12, '1.1', 'is not in OpenOOH 1.1 (venue_taxonomy): expected one of its 99 ids'],
    ]
    for (const [id, taxonomy, reason] of refusals) {
      expect((await setVenue(id, taxonomy)).errors).toEqual([`2: venue_type_id ${id} ${reason}`])
    }
    for (const version of ['1.2', '1.3', 'DPAA', '5']) {
      expect((await setVenue(303, version)).errors).toEqual([
        `2: venue_taxonomy is "${version}", but must be one of 1.0, 1.1, 1.2.1, the versions of OpenOOH's venue taxonomy`,
      ])
    }
  })

  test('is compared with the id that is stored, in files with one of the two columns', async () => {
    await setVenue(304, '1.2.1')
    const message = (id: number, version: string) => [
      expect.stringMatching(`venue_type_id ${id} is not in OpenOOH ${version}`),
    ]
    expect((await world.import('assets', ['legacy_id,venue_taxonomy', '1,1.1'])).errors).toEqual(message(304, '1.1'))
    expect((await world.import('assets', ['legacy_id,venue_type_id', '1,305001'])).errors).toEqual(
      message(305001, '1.2.1'),
    )
    expect((await world.import('assets', ['legacy_id,name', '1,New'])).errors).toEqual([])
  })
})
