/** Commands on one network, which none of these changes: arguments, exit code, and the document that `--json` prints. */
import { runOnTerminal, testOnTerminal } from '../support/command'
import { settingsOf } from '../support/databases'
import { like, splitWords } from '../support/text'
import { World } from '../support/world'
import { fillNetwork, readContent } from './operations/network'

jest.setTimeout(60_000)

let world: World
beforeAll(async () => {
  world = await World.open()
  await fillNetwork(world)
  const { make } = world
  for (const id of ['twinone01', 'twintwo02']) await make.asset({ id, name: 'Twin' })
  await world.import('health', ['sensor,checked_at,status', 'SN-2,2026-01-02T09:00:00Z,offline'])
  await world.import('notes', ['id,asset_id,from,kind,text', 'noteofmine,101,2026-01-01,caveat,Stored'])
  for (const file of ['a.csv', 'b.csv'])
    await world.import('vendors', ['name,own', 'CountBox,false'], { details: { file, skipFaulty: true } })
})
afterAll(() => world.stop())

const json = (command: string) => world.runJson(splitWords(command))

const any = expect.anything()
const measured = { measured_from: '2026-01-01', measured_to: '2026-01-04' }
const alder = { id: 'companyalder', name: 'Alder Ltd', assets: 2, sensors: 2, keys: 0, ...measured }
const vendor = { id: 'vendorcountbox', name: 'CountBox', own: false, finest_grain: 'quarter_hour', sensors: 5 }
const asset = {
  ...{ id: any, legacy_id: 101, name: 'Alder 101', company_id: 'companyalder', company: 'Alder Ltd' },
  ...{ description: null, media_type: 'digital', format: 'billboard', venue_type_id: null, status: 'active' },
  ...{ indoors: false, facing_degrees: null, width_m: null, height_m: null, latitude: 1, longitude: 1 },
  ...{ address: null, city: null, region: null, postal_code: null, country: 'GB', time_zone: 'Etc/UTC' },
  ...{ finest_grain: 'quarter_hour', sensor_ids: [expect.any(String)], ...measured },
  ...{ created_at: like('…Z'), updated_at: like('…Z'), venue_taxonomy: null, external_ids: {} },
}
const [start, moved] = ['2026-01-01T00:00:00Z', '2026-01-03T00:00:00Z']
const installation = { finest_grain: 'quarter_hour', installed_at: start, removed_at: moved }
const shownAsset = {
  ...asset,
  installations: [
    { ...installation, sensor_id: any, serial: 'SN-1', removed_at: null },
    { ...installation, sensor_id: any, serial: 'SN-2' },
    { ...installation, sensor_id: any, serial: 'SN-3' },
  ],
}
/** Without the check from before the last installation. */
const sensor = {
  ...{ id: any, serial: 'SN-2', model: 'M', vendor: 'CountBox', finest_grain: 'quarter_hour', asset_id: any },
  ...{ asset: 'Birch 201', billable_state: 'pending', installed_at: moved, installed_on: '2026-01-03' },
  ...{ removed_at: null, health_status: null, health_checked_at: null, health_last_seen_at: null },
  ...{ health_reason: null, measured_to: '2026-01-04' },
}
const imported = {
  ...{ id: expect.any(Number), at: any, account: any, kind: 'vendors', file: 'b.csv' },
  options: { file: 'b.csv', skipFaulty: true },
  figures: expect.objectContaining({ read: 1, stored: 0, unchanged: 1 }),
}

test.each<[command: string, document: object]>([
  ['list companies', { rows: expect.arrayContaining([alder]) }],
  ['show companies "Alder Ltd"', alder],
  ['show companies companyalder', alder],
  ['list vendors', { rows: expect.arrayContaining([vendor]) }],
  ['show vendors CountBox', vendor],
  ['list assets', { rows: expect.arrayContaining([asset]) }],
  ['show assets 101', shownAsset],
  ['show assets "Alder 101"', shownAsset],
  ['list sensors', { rows: expect.arrayContaining([sensor]) }],
  [
    'show sensors SN-2',
    {
      ...sensor,
      installations: [
        { ...installation, asset_id: any, asset: 'Alder 101' },
        { ...installation, asset_id: any, asset: 'Birch 201', installed_at: moved, removed_at: null },
      ],
    },
  ],
  ['list imports', { rows: expect.arrayContaining([imported]) }],
  ['list keys', { rows: [] }],
  ['list set-aside', { rows: [] }],
  ['list notes', { rows: [expect.objectContaining({ id: 'noteofmine', asset: 'Alder 101', text: 'Stored' })] }],
])('%s', async (command, document) => {
  expect(await json(command)).toEqual({ code: 0, document })
})

const FEW = '--from 2026-01-02 --to 2026-01-03'
const facts = { counts: 0, impressions: 0, origins: 0, demographics: 0, set_aside: 0 }
const nothing = { companies: 0, assets: 0, sensors: 0, installations: 0, ...facts }

test.each<[command: string, deleted: object]>([
  [
    'delete companies "Alder Ltd"',
    {
      ...{ companies: 1, assets: 2, sensors: 2, installations: 4 },
      ...{ counts: 20, impressions: 410, origins: 2, demographics: 2 },
    },
  ],
  ['delete assets 101', { assets: 1, installations: 3, counts: 16, impressions: 288, origins: 2, demographics: 2 }],
  ['delete sensors SN-2 SN-4 SN-2', { sensors: 2, installations: 3, counts: 16, impressions: 488 }],
  [`delete impressions --sensor SN-2 ${FEW}`, { counts: 4, impressions: 82 }],
  [`delete origins --asset 101 ${FEW}`, { origins: 1, impressions: 0 }],
  [`delete demographics --asset 201 ${FEW}`, { demographics: 2 }],
  ['retain --months 600', {}],
])('%s --dry-run shows what would be deleted, and changes nothing', async (command, deleted) => {
  const before = await readContent(world)
  for (const more of [' --dry-run', ' --dry-run --yes']) {
    const { code, document } = await json(command + more)
    expect([code, document]).toMatchObject([0, { dry_run: true, keys: [], deleted: { ...nothing, ...deleted } }])
  }
  expect(await readContent(world)).toEqual(before)
  expect(await world.rows("SELECT FROM operations WHERE command ~ '^(delete|retain)'")).toEqual([])
})

const NOTE = '--from 2026-01-01 --kind caveat'
const RANGE = '--from 2026-01-01 --to 2026-01-02'

test.each<[command: string, code: 1 | 2, error: string, message: string]>([
  ['show companies Alder', 1, 'UNKNOWN_COMPANY', '…did you mean "Alder Ltd"?'],
  ['show assets 77', 1, 'UNKNOWN_ASSET', '…"77" (`partner-metrics list assets` shows all)'],
  ['show assets Twin', 1, 'AMBIGUOUS_ASSET', 'there are 2 assets with the name "Twin"…'],
  ['show sensors SN2', 1, 'UNKNOWN_SENSOR', '…did you mean "SN-2"?'],
  ['show keys nokey', 1, 'UNKNOWN_KEY', '…"nokey" (`partner-metrics list keys` shows all)'],
  ['show imports 4711', 1, 'UNKNOWN_IMPORT', 'there is no import…'],
  ['show set-aside 999999', 1, 'UNKNOWN_SET_ASIDE', '…'],
  ['delete companies companyalder Birch --yes', 1, 'UNKNOWN_COMPANY', '…"Birch": did you mean "Birch Ltd"?'],
  ['delete assets 101 999 --yes', 1, 'UNKNOWN_ASSET', '…"999"…'],
  ['delete sensors SN-1 "sn 4" --dry-run', 1, 'UNKNOWN_SENSOR', '…did you mean "SN-4"?'],
  [`delete impressions --sensor SN-9999 ${RANGE} --yes`, 1, 'UNKNOWN_SENSOR', '…"SN-9999"…'],
  [`delete origins --asset 7 ${RANGE} --yes`, 1, 'UNKNOWN_ASSET', '…"7"…'],
  ['delete companies "Alder Ltd"', 2, 'CONFIRMATION_REQUIRED', '…--yes…--dry-run…'],
  [`set-aside impressions --sensor SN-1 ${RANGE} --reason bus`, 2, 'CONFIRMATION_REQUIRED', '…--yes…--dry-run…'],
  [`set-aside impressions --sensor SN-1 ${RANGE} --reason " " --yes`, 2, 'USAGE', '…--reason…'],
  [`set-aside impressions --sensor SN-5 ${RANGE} --reason bus --yes`, 1, 'NEVER_INSTALLED', '…SN-5…'],
  [`note add --asset 101 --sensor SN-1 ${NOTE} --text x`, 2, 'USAGE', 'give either --asset or --sensor…'],
  [`note add ${NOTE} --text x`, 2, 'USAGE', 'give either --asset or --sensor…'],
  [`note add --asset 101 ${NOTE} --text x --to 2025-12-31`, 2, 'USAGE', '--to 2025-12-31 is before --from 2026-01-01'],
  [`note add --asset 101 ${NOTE} --text " "`, 2, 'USAGE', '…--text…'],
  ['note add --asset 101 --from 2026-01-01 --kind unusable --text x', 2, 'USAGE', '…--kind…one of caveat, break…'],
  [`note add --asset 102000 ${NOTE} --text x`, 1, 'UNKNOWN_ASSET', '…"102000"…'],
  [`note add --sensor SN2 ${NOTE} --text x`, 1, 'UNKNOWN_SENSOR', '…"SN2"…'],
  [`note add --asset 101 ${NOTE} --text Stored`, 1, 'NOTE_EXISTS', '…partner-metrics note remove noteofmine…'],
  ['note remove x', 1, 'UNKNOWN_NOTE', '…"x" (`partner-metrics list notes`…'],
])('%s ends with %d: %s', async (command, code, error, message) => {
  const before = await readContent(world)
  expect(await json(command)).toEqual({ code, document: { error: { code: error, message: like(message) } } })
  expect(await readContent(world)).toEqual(before)
})

test('results are text without --json: tab-separated in a pipe, and whole', async () => {
  const text = async (command: string) => (await world.run(splitWords(command))).stdout
  expect(await text('list companies')).toMatch(/\ncompanyalder\tAlder Ltd\t2\t2\t0\n/)
  expect(await text('show sensors SN-2')).toContain('serial               SN-2\n')
  expect(await text('list keys')).toBe('there are no keys\n')
})

testOnTerminal('a table fits its terminal, but never truncates ids', async () => {
  const onTerminal = (kind: string, columns: number) =>
    runOnTerminal(['list', kind], settingsOf(world.database), columns)
  await world.make.asset({ name: 'The long wall at the northern entrance of the central station, above the stairs' })
  expect(onTerminal('assets', 80).filter(line => [...line].length > 80)).toEqual([])
  const narrow = onTerminal('sensors', 20).join()
  for (const { asset_id, serial } of await world.rows(
    'SELECT asset_id, serial FROM sensors WHERE asset_id IS NOT NULL',
  ))
    expect([narrow.includes(`${asset_id}`), narrow.includes(`${serial}`)]).toEqual([true, true])
})
