import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { deactivateKey, issueKey, type KeyGrant, rotateKey } from '../../../db/api-keys/api-keys'
import type { ExportedTable, Manifest } from '../../../db/backup/manifest'
import { MISSING } from '../../../db/calendar/packed-counts'
import { runDeletion } from '../../../db/operations/run-deletion'
import type { Kind } from '../../../imports/kind-names'
import { withoutPosition } from '../../isolation/tenants'
import { createDatabase, settingsOf, type TestDatabase, withoutTables } from '../../support/databases'
import { type RequestOptions, send } from '../../support/http'
import { run } from '../../support/in-process'
import { World } from '../../support/world'

jest.setTimeout(120_000)

const NOW = Date.parse('2026-01-04T00:00:00Z')

const AWKWARD_TEXT = 'He said "no",\n\\.\r\nand \\N; tab\t, \'quote\', emoji 🙂, "'

const COMPANY = 'awkwardcompany'
const ASSETS = ['awkwardasset1', 'awkwardasset2', 'awkwardasset3', 'awkwardasset4']
const CITY = 'Quote "City"'

/** Headers that differ between equal responses. */
const VARYING = /^(x-request-id|date|ratelimit|etag|server-timing)$/

const directory = mkdtempSync(join(tmpdir(), 'partner-metrics-round-trip-'))

let old: World
let restored: World
/** The texts of keys. */
let keys: string[]
let analyst: string
let position: string

const importLines = async (world: World, kind: Kind, ...lines: string[]): Promise<void> => {
  expect((await world.import(kind, lines)).errors).toEqual([])
}

const must = async (database: TestDatabase, ...args: string[]): Promise<void> => {
  expect(await run(args, settingsOf(database))).toMatchObject({ code: 0, stderr: '' })
}

const readManifest = (name: string): Manifest =>
  JSON.parse(readFileSync(join(directory, name, 'manifest.json'), 'utf8'))

beforeAll(async () => {
  old = await World.open({ now: () => NOW })
  await addAwkwardData(old)
  keys = await issueKeys(old)
  analyst = keys.at(-1) as string
  await send(`${old.url}/v1/metrics/assets`, { key: analyst })
  await send(`${old.url}/v1/metrics/assets`)
  await old.gateway.legacyCalls.flush()
  position = (await old.read('/v1/partner/changes?limit=500', analyst)).pagination.cursor
  await must(old.database, 'export', 'all', '--output', join(directory, 'first'))
  const database = await createDatabase()
  await withoutTables(database)
  await must(database, 'import', 'all', join(directory, 'first'))
  await must(database, 'export', 'all', '--output', join(directory, 'second'))
  restored = await World.open({ now: () => NOW, database })
})
afterAll(async () => {
  await old?.stop()
  await restored?.stop()
  rmSync(directory, { recursive: true })
})

/** Sensors that move, counts at clock changes, deletions, and texts that CSV has to quote. */
async function addAwkwardData(world: World): Promise<void> {
  const { make, owner } = world
  const company = await make.company(`Awkward "Ltd", ${AWKWARD_TEXT}`, { id: COMPANY })
  const asset = (i: number, more: object = {}) =>
    make.asset({ company, id: ASSETS[i], city: CITY, region: 'DE-BE', ...more })
  const external_ids = { hivestack: AWKWARD_TEXT, broadsign: '"' }
  const texts = { description: AWKWARD_TEXT, address: '""', external_ids }
  const first = await asset(0, { legacy_id: 7701, ...texts, venue_taxonomy: '1.2.1', width_m: 0.1 + 0.2 })
  const second = await asset(1, { time_zone: 'Australia/Lord_Howe', latitude: -31.557_199_999_999_998 })
  for (const i of [2, 3]) await asset(i)
  const minutes = await make.sensor({ asset: first, grain: 'minute', serial: `S ${AWKWARD_TEXT}` })
  await make.counts(minutes, '2025-10-26', i => [MISSING, 0, 70_000, 3_000_000_000_000][i % 4] as number)
  const days = await make.sensor({ asset: second, grain: 'day' })
  await make.counts(days, '2026-01-02', () => 2_147_483_647)
  await make.vendor('quarter_hour', { name: 'Quarters' })
  const installed = 'serial,model,vendor_id,asset_id,installed_at'
  await importLines(world, 'sensors', installed, `Q1,M,Quarters,${ASSETS[0]},2025-01-01`, 'Q2,M,Quarters,,')
  const counts = [
    '2025-10-26T00:30Z',
    '2025-10-26T01:30Z',
    '2026-01-01T05:00Z',
    '2026-01-01T05:15Z',
    '2026-01-02T05:00Z',
    '2025-03-05T05:00Z',
  ]
  await importLines(world, 'impressions', 'sensor,start,impressions', ...counts.map((start, i) => `Q1,${start},${i}`))
  await importLines(world, 'sensors', installed, `Q1,M,Quarters,${ASSETS[1]},2026-01-02T00:00Z`)
  await importLines(world, 'sensors', 'serial,removed_at', 'Q1,2026-01-03T07:00Z')
  await importLines(world, 'health', 'sensor,checked_at,status,reason', 'Q1,2026-01-03T23:55Z,degraded,"hot, 🙂"')
  const note = `caveat,"${AWKWARD_TEXT.replaceAll('"', '""')}"`
  const columns = 'asset_id,sensor,internal,from,kind,text'
  await importLines(
    world,
    'notes',
    columns,
    `7701,,,2026-01-01,${note}`,
    `,Q1,,2026-01-01,${note}`,
    `7701,,1,2026-01-02,${note}`,
  )
  await make.origin(first, '2026-01-01', ['DE', 'DE-BE', CITY], 5)
  await make.origin(first, '2026-01-01', ['AQ', 'AQ-1', 'Line\nbreak, 🙂'], 2_147_483_647)
  await make.demographics(first, '2026-01-01', { '25-34 male': 70, '65+ female': 0 })
  const range = { from: '2026-01-01', to: '2026-01-01' }
  await runDeletion(owner, {
    request: { kind: 'impressions', of: ['Q1'], ...range },
    operation: { command: 'delete impressions' },
  })
  // An id that was removed, and one that came back.
  await runDeletion(owner, {
    request: { kind: 'assets', ids: [ASSETS[2], ASSETS[3]] as string[] },
    operation: { command: 'delete assets' },
  })
  await asset(3, { name: 'Back again' })
  const stretch = ['--sensor', 'Q1', '--from', '2025-03-05T05:00Z', '--to', '2025-03-05T06:00Z']
  await must(world.database, 'set-aside', 'impressions', ...stretch, '--reason', 'Roadworks', '--yes')
  await must(world.database, 'close', '2025-10', '--company', COMPANY)
  await must(world.database, 'doctor')
  await owner.query("UPDATE service SET legacy_counted_from = '2025-11-01Z'")
}

async function issueKeys({ owner }: World): Promise<string[]> {
  const grant = {
    companies: [COMPANY],
    scopes: [],
    reseller: false,
    label: AWKWARD_TEXT,
    rate: null,
  } satisfies KeyGrant
  const limited = await issueKey(owner, 'dev', { ...grant, rate: { requests: 70, seconds: 7 } })
  const deactivated = await issueKey(owner, 'dev', grant)
  await deactivateKey(owner, deactivated.id)
  const rotated = await issueKey(owner, 'dev', { ...grant, scopes: ['partner:metrics:legacy:read'], reseller: true })
  const renewed = await rotateKey(owner, 'dev', rotated.id)
  const none = await issueKey(owner, 'dev', { ...grant, companies: [] })
  const scopes = ['internal:graphql:read', 'partner:metrics:legacy:read']
  const overlapping = await issueKey(owner, 'dev', { ...grant, expires_at: '2100-01-01T00:00:00.123Z' })
  await rotateKey(owner, 'dev', overlapping.id, { overlap: 3600 })
  const all = await issueKey(owner, 'dev', { ...grant, companies: 'all', scopes, reseller: true })
  return [limited, deactivated, rotated, renewed, none, overlapping, all].map(({ key }) => key)
}

/** Returns the response of both services, which must be the same. */
async function compare(path: string, options: RequestOptions): Promise<number> {
  const [before, after] = await Promise.all(
    [old, restored].map(async ({ url }) => {
      const { status, headers, text } = await send(url + path, options)
      const compared = Object.entries(headers)
        .filter(([name]) => !VARYING.test(name))
        .map(([name, value]) => [name, name === 'x-next-cursor' || withoutPosition(String(value))])
      return { path, options, status, headers: compared, text: withoutPosition(text) }
    }),
  )
  expect(after).toEqual(before)
  return before?.status as number
}

describe('an export that is imported into a new database', () => {
  test('is exported again as the same files, but for the record of the import', () => {
    const [first, second] = [readManifest('first'), readManifest('second')]
    const others = ({ tables }: Manifest) => tables.filter(({ name }) => name !== 'operations')
    expect(first.tables.filter(({ rows }) => rows === 0)).toEqual([])
    expect(others(second)).toEqual(others(first))
    expect(readRows('second', 'operations').slice(0, -1)).toEqual(readRows('first', 'operations'))
    expect(readRows('second', 'operations').at(-1)).toContain('\timport all\t')
  })

  test('has the same constraints, triggers and row-level security', async () => {
    const read = async ({ owner }: World) =>
      (
        await owner.query(`
          SELECT relname, relrowsecurity, relforcerowsecurity,
            ARRAY(SELECT concat_ws(' ', tgname, tgenabled) FROM pg_trigger WHERE tgrelid = c.oid AND NOT tgisinternal ORDER BY 1) AS triggers,
            ARRAY(SELECT concat_ws(' ', conname, convalidated, pg_get_constraintdef(oid)) FROM pg_constraint WHERE conrelid = c.oid ORDER BY 1) AS constraints
          FROM pg_class c WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY relname`)
      ).rows
    expect(await read(restored)).toEqual(await read(old))
  })

  test('has the same pages for the same keys, also where they are deactivated, and for no others', async () => {
    const paths = ['partner/meta', 'partner/assets?limit=1', 'metrics/assets/legacy-ids']
    const statuses = new Set<number>()
    for (const key of keys) for (const path of paths) statuses.add(await compare(`/v1/${path}`, { key }))
    expect([...statuses].sort()).toEqual([200, 401, 403])
  })

  test('has cursors that go on where those of lists were, whereas a copy of the feed begins anew', async () => {
    const { cursor } = (await old.read('/v1/partner/assets?limit=1', analyst)).pagination
    expect(await compare(`/v1/partner/assets?cursor=${cursor}`, { key: analyst })).toBe(200)
    const { status, body } = await restored.get(`/v1/partner/changes?cursor=${position}`, { key: analyst })
    expect([status, body.error.code]).toEqual([410, 'RESYNC_REQUIRED'])
    let last = (await restored.read('/v1/partner/changes?limit=500', analyst)).pagination
    while (last.has_more) last = (await restored.read(`/v1/partner/changes?cursor=${last.cursor}`, analyst)).pagination
    expect((await restored.read(`/v1/partner/changes?cursor=${last.cursor}`, analyst)).data).toEqual([])
  })

  test('has totals and copied columns without differences, also after more was added', async () => {
    await restored.verify()
    const asset = await restored.make.asset({ company: await restored.make.company('Added later') })
    await restored.make.counts(await restored.make.sensor({ asset, grain: 'hour' }), '2026-01-01', () => 1)
    await restored.verify()
  })
})

/** Returns the rows of a file. */
const readRows = (folder: string, name: ExportedTable['name']): string[] =>
  gunzipSync(readFileSync(join(directory, folder, `${name}.tsv.gz`)))
    .toString()
    .trimEnd()
    .split('\n')

test('an export can be read by its owner only', () => {
  const folder = join(directory, 'first')
  const files = readdirSync(folder).map(name => join(folder, name))
  expect([folder, ...files].map(path => statSync(path).mode & 0o777)).toEqual([0o700, ...files.map(() => 0o600)])
})

test('an export has every table but those of processes and those that are empty between transactions', async () => {
  const { rows } = await old.owner.query(
    "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'",
  )
  const exported = readManifest('first').tables.map(({ name }) => name)
  expect(
    rows
      .map(({ relname }) => relname)
      .filter(name => !exported.includes(name))
      .sort(),
  ).toEqual(['knex_migrations', 'knex_migrations_lock', 'locks', 'service_processes', 'touched', 'touched_months'])
})
