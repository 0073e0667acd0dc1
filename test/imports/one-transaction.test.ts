/** No command depends on being the first or the only one in its transaction. */
import { Readable } from 'node:stream'
import type { Pool } from 'pg'
import { readNodeRules, ZoneRules } from '../../db/calendar/zone-rules'
import { diagnose } from '../../db/doctor/doctor'
import { closeMonth } from '../../db/operations/closed-months'
import type { DeletionRequest } from '../../db/operations/deletion'
import { addNote, removeNote } from '../../db/operations/notes'
import { previewDeletion, runDeletion } from '../../db/operations/run-deletion'
import { COPIED_COLUMNS } from '../../db/verify/copied-columns'
import { DERIVED_TABLES } from '../../db/verify/derived-tables'
import { readBounds } from '../../db/verify/parts'
import { compareZones } from '../../db/zones/compare-rules'
import { storeRules } from '../../db/zones/rules-in-force'
import { dryRun, type ImportFile } from '../../imports/changes/dry-run'
import { importFile } from '../../imports/import-file'
import type { Kind } from '../../imports/kind-names'
import { updateZones } from '../../imports/relocation/update-rules'
import { restore } from '../../imports/set-aside/restore'
import { setAside } from '../../imports/set-aside/set-aside'
import { withinTransaction } from '../support/one-transaction'
import { World } from '../support/world'

jest.setTimeout(120_000)

/** Rules whose clocks change on 1 November 2026, and rules whose clocks do not. */
const rulesOf = (zone: string) => {
  const { starts, offsets } = readNodeRules(zone)
  const known = starts.filter(start => start < Date.parse('2026-06-01T00:00Z') / 1000)
  const before = offsets.slice(0, known.length)
  const change = Date.parse('2026-11-01T09:00Z') / 1000
  const changed = new ZoneRules(zone, '2025c', [...known, change], [...before, before.at(-1)! - 3600])
  return { '2025c': changed, '2026c': new ZoneRules(zone, '2026c', known, before) }
}
const ZONES = ['America/Vancouver', 'America/Edmonton']
const RULES = new Map(ZONES.map(zone => [zone, rulesOf(zone)]))

let world: World
beforeAll(async () => {
  world = await World.open()
})
afterEach(() => world.clear())
afterAll(() => world.stop())

/** Quarter hours on both sides of the days that the rules cut otherwise, a number each. */
const QUARTERS = Array.from({ length: 16 }, (_, i) => new Date(Date.parse('2026-11-20T05:00Z') + i * 900_000))

/** A sensor in each zone, with 16 counts. */
async function install() {
  await storeRules(
    world.owner,
    ZONES.map(zone => RULES.get(zone)!['2025c']),
  )
  const company = await world.make.company()
  const vendor = await world.make.vendor('quarter_hour', { name: 'Quarter' })
  const made: { asset: { id: string; number: number }; serial: string }[] = []
  for (const time_zone of ZONES) {
    const asset = await world.make.asset({ company, time_zone, country: 'CA' })
    const installed_at = '2026-01-01T00:00Z'
    const { serial } = await world.make.sensor({ asset, vendor, installed_at, grain: 'quarter_hour' })
    made.push({ asset, serial })
  }
  return made
}

const countLines = (serials: readonly string[]) => [
  'sensor,start,impressions',
  ...serials.flatMap(serial => QUARTERS.map((start, i) => `${serial},${start.toISOString()},${i + 1}`)),
]

const sumOf = async (pool: Pool) =>
  (await pool.query('SELECT sum(impressions)::integer AS sum, count(*)::integer AS days FROM sensor_days')).rows[0]

const update = (pool: Pool, version: '2025c' | '2026c', dryRun = false) =>
  updateZones(pool, { to: version, dryRun, readRules: zone => RULES.get(zone)![version] })

test('all commands run one after the other, and each again, in one transaction', async () => {
  const made = await install()
  const [[vancouver, edmonton], [one, two]] = [made.map(({ asset }) => asset.id), made.map(({ serial }) => serial)] as [
    [string, string],
    [string, string],
  ]
  const client = await world.owner.connect()
  const pool = withinTransaction(client)
  const options = { interval: 'quarter_hour', refuseImplausible: true } as const
  const give = async (kind: Kind, ...lines: string[]) => {
    const run: ImportFile = (...args) => importFile(pool, ...args)
    const read = (importFile: ImportFile) => importFile(kind, Readable.from([lines.join('\n')]), options)
    await dryRun(pool, async tryFile => {
      for (let i = 0; i < 2; i++) expect(await read(tryFile)).toMatchObject({ rejected: 0 })
    })
    const first = await read(run)
    const second = await read(run)
    expect([first.rejected, second.rejected, second.stored]).toEqual([0, 0, 0])
  }
  const remove = async (request: DeletionRequest) => {
    const deletion = { request, operation: { command: 'delete' } }
    await previewDeletion(pool, deletion)
    for (let i = 0; i < 2; i++) await runDeletion(pool, deletion)
  }
  const total = async () => (await sumOf(pool)).sum
  await client.query('BEGIN')
  try {
    await give('companies', 'name', 'Another')
    await give('vendors', 'name,own,finest_grain', 'Hour,false,hour')
    await give('assets', 'id,city', `${vancouver},Vancouver`, `${edmonton},Edmonton`)
    await give('sensors', 'serial,model', `${one},A`, `${two},B`)
    await give('impressions', ...countLines([one, two]))
    await give('origins', 'asset_id,date,country,region,city,impressions', `${vancouver},2026-11-20,CA,CA-BC,Surrey,5`)
    await give('demographics', 'asset_id,date,gender,age_band,impressions', `${edmonton},2026-11-20,female,25-34,50`)
    await give('health', 'sensor,checked_at,status', `${one},2026-11-20T05:00Z,offline`)
    await give('notes', 'asset_id,from,kind,text', `${vancouver},2026-11-20,caveat,road works`)
    for (const version of ['2026c', '2025c', '2026c'] as const) {
      await update(pool, version, true)
      expect(await update(pool, version)).toHaveLength(2)
      expect(await update(pool, version)).toEqual([])
      expect(await compareZones(pool, zone => RULES.get(zone)![version])).toHaveLength(2)
      expect(await total()).toBe(2 * 136)
    }
    for (const asset of [edmonton, vancouver, edmonton, vancouver])
      await give('sensors', 'serial,asset_id,installed_at', `${one},${asset},2026-11-20T06:00:00Z`)
    for (const zone of ['Europe/Berlin', ZONES[0]]) await give('assets', 'id,time_zone', `${vancouver},${zone}`)
    expect(await total()).toBe(2 * 136)
    for (let i = 0; i < 2; i++) {
      const stretch = { sensor: one, from: '2026-11-20T06:00Z', to: '2026-11-20T07:00Z' }
      await setAside(pool, stretch, { reason: 'bus', dryRun: true })
      const { id, impressions } = await setAside(pool, stretch, { reason: 'bus' })
      expect([impressions, await total()]).toEqual([26, 2 * 136 - 26])
      await give('impressions', ...countLines([one, two]))
      await restore(pool, String(id))
      expect(await total()).toBe(2 * 136)
      const note = { of: 'asset', reference: vancouver, from: '2026-11-20', kind: 'break', internal: false } as const
      await removeNote(pool, await addNote(pool, { ...note, text: 'moved' }, {}))
      await closeMonth(pool, { month: '2026-01' })
      await closeMonth(pool, { month: '2026-01', undo: { reason: 'mistyped' } })
      await diagnose(pool, {})
      const bounds = await readBounds(client, undefined)
      for (const { repair, by } of Object.values({ ...COPIED_COLUMNS, ...DERIVED_TABLES }))
        for (const each of bounds[by]) await client.query(repair(each))
    }
    await remove({ kind: 'origins', of: [vancouver], from: '2026-11-20', to: '2026-11-20' })
    await remove({ kind: 'demographics', of: [edmonton], from: '2026-11-20', to: '2026-11-20' })
    await remove({ kind: 'impressions', of: [one], from: '2026-11-20', to: '2026-11-20' })
    expect(await total()).toBe(136 + 36)
    await remove({ kind: 'everything', to: '2026-11-19' })
    expect(await total()).toBe(126)
    await client.query('COMMIT')
  } finally {
    client.release(true)
  }
  expect(await sumOf(world.owner)).toEqual({ sum: 126, days: 1 })
  await world.verify()
})
