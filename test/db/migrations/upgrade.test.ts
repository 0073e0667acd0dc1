import { Client } from 'pg'
import { dayNumber, listStarts } from '../../../db/calendar/local-days'
import { MISSING, unpack } from '../../../db/calendar/packed-counts'
import { loadLocalDays } from '../../../db/zones/rules-in-force'
import { readCatalogue } from '../../support/catalogue'
import { createDatabase, settingsOf, type TestDatabase } from '../../support/databases'
import { FORMER_DATABASE } from '../../support/former-database'
import { runJson } from '../../support/in-process'
import { ORIGINS } from '../../support/origins'

let database: TestDatabase
let owner: Client
beforeAll(async () => {
  database = await createDatabase()
  owner = await connect(database)
})
afterAll(async () => {
  await owner.end()
  await database.drop()
})

async function connect({ ownerUrl }: TestDatabase): Promise<Client> {
  const client = new Client({ connectionString: ownerUrl })
  await client.connect()
  return client
}

/** The tables whose rows an upgrade keeps: entries of operators. Followers of the feed begin new copies. */
const KEPT = `companies vendors zone_rules assets sensors installations sensor_days demographic_days api_keys operations
  set_asides notes sensor_health asset_external_ids service legacy_calls`.split(/\s+/)

/** The last run of doctor, which had a table of its own. */
const DOCTOR = ['ran_at', 'judged', 'not_judged']

/** @param moved SQL of the rows that other tables have now, by name */
async function readRows(moved: Record<string, string>): Promise<Record<string, string[]>> {
  const kept: Record<string, string[]> = {}
  for (const [name, table] of Object.entries({ ...Object.fromEntries(KEPT.map(name => [name, name])), ...moved })) {
    const { rows } = await owner.query(`SELECT (to_jsonb(t) - $1::text[])::text AS row FROM ${table} AS t ORDER BY 1`, [
      DOCTOR.map(column => `doctor_${column}`),
    ])
    kept[name] = rows.map(({ row }) => row)
  }
  return kept
}

/** Reads counts that the version before set aside by instant, or by asset and date. */
async function readFormerSetAside(): Promise<string[]> {
  const { rows } = await owner.query(`SELECT concat_ws(' ', set_aside, native_minutes,
      coalesce(asset || ' ' || day, extract(epoch FROM day::timestamp AT TIME ZONE 'UTC')::bigint + start || ''), count) AS row
    FROM set_aside_counts, unnest(starts, counts) AS u (start, count)`)
  return rows.map(({ row }) => row).sort()
}

async function readSetAside(): Promise<string[]> {
  const days = await loadLocalDays(owner)
  const { rows } = await owner.query(
    'SELECT d.*, d.date::text, time_zone FROM set_aside_days d JOIN assets ON number = asset',
  )
  const counts = rows.flatMap(({ set_aside, native_minutes, asset, date, time_zone, counts }) => {
    const day = days.day(time_zone, dayNumber(date))
    const starts = listStarts(day, native_minutes)
    return [...unpack(counts, starts.length)].flatMap((count, i) => {
      const time = native_minutes === 1440 ? `${asset} ${date}` : day.start + starts[i]!
      return count === MISSING ? [] : `${set_aside} ${native_minutes} ${time} ${count}`
    })
  })
  return counts.sort()
}

test('a database of the version before becomes one of this version, with its data', async () => {
  const fresh = await createDatabase()
  const other = await connect(fresh)
  try {
    await owner.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public; REVOKE CREATE ON SCHEMA public FROM PUBLIC')
    await owner.query(FORMER_DATABASE)
    const before = await readRows({
      origins: '(SELECT asset, company, date, country, region, city, impressions FROM origins)',
      doctor: `(SELECT ${DOCTOR} FROM doctor_runs)`,
    })
    const setAside = await readFormerSetAside()
    for (const [table, rows] of Object.entries({ ...before, setAside }))
      expect({ table, empty: rows.length === 0 }).toEqual({ table, empty: false })

    const env = settingsOf(database)
    expect(await runJson(['list', 'companies'], env)).toMatchObject({
      document: { error: { code: 'DATABASE_NOT_MIGRATED' } },
    })
    const { document } = await runJson(['migrate'], env)
    expect(document.migrations[0]).toBe('0300_schema.ts')
    expect((await runJson(['migrate'], env)).document.migrations).toEqual([])

    const doctor = `(SELECT ${DOCTOR.map(column => `doctor_${column} AS ${column}`)} FROM service)`
    expect(await readRows({ origins: ORIGINS, doctor })).toEqual(before)
    expect(await readSetAside()).toEqual(setAside)
    expect(await readCatalogue(owner)).toEqual(await readCatalogue(other))
    const names = 'SELECT name FROM knex_migrations ORDER BY name'
    expect((await owner.query(names)).rows).toEqual((await other.query(names)).rows)
    expect(await runJson(['verify'], env)).toMatchObject({ code: 0, document: { found: 0, differences: [] } })
  } finally {
    await other.end()
    await fresh.drop()
  }
})
