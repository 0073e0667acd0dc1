/**
 * Fills an empty, migrated database by SQL: companies of several sizes, their assets, and what is counted there. Their time zone has no
 * clock changes, so that all days are of one length. Every run has the same data.
 */
import { Client } from 'pg'
import { issueKey } from '../../db/api-keys/api-keys'
import { LocalDayCache } from '../../db/calendar/local-day-cache'
import { dateOf, dayNumber, listStarts } from '../../db/calendar/local-days'
import { splitByMonths } from '../../db/calendar/month-ranges'
import { MISSING, packDay } from '../../db/calendar/packed-counts'
import { readNodeRules } from '../../db/calendar/zone-rules'
import { GROUP_COLUMNS } from '../../db/queries/demographics'
import { addMissingRules } from '../../db/zones/rules-in-force'
import { chances } from '../../imports/demo/network'

export interface Size {
  /** The number of assets of all companies. */
  assets: number
  /** Days of data for each asset, up to LAST_DAY. */
  days: number
  /** The number of assets of the first company that have LONG_DAYS instead. */
  longAssets: number
  /** The native minutes of the sensors, one on each asset, in turn. */
  minutes: readonly number[]
  hasOrigins: boolean
}

export interface Asset {
  id: string
  minutes: number
  days: number
}

/** The shares of the companies in all assets. The first is measured; the others are out of its scope. */
const SHARES = { large: 0.8, middle: 0.08, small: 0.0032, other: 0.1168 } as const

export type CompanyName = keyof typeof SHARES

const COMPANIES = Object.keys(SHARES) as CompanyName[]

export interface BenchData {
  /** A key for each company, with the scope for GraphQL. */
  keys: Record<CompanyName, string>
  /** The assets of the first company, by id. */
  assets: Asset[]
  /** When all was there, before some of it changed. */
  filledAt: string
  /** The secret that signs cursors. */
  cursorSecret: Buffer
}

export const LAST_DAY = '2026-09-30'

export const LONG_DAYS = 400

const ZONE = 'Asia/Tokyo'

/** The environment in which the service runs. */
export const ENVIRONMENT = 'production'

/** The number of different days of each length of interval. */
const VARIANTS = 61

/** The average count of a minute. */
const PER_MINUTE = 25

/** Returns the number of assets of a company; at least one. */
export const assetsOf = (company: CompanyName, all: number): number => Math.max(1, Math.round(SHARES[company] * all))

const idOf = (name: string) => `left('${name}' || md5('${name}'), 24)`

const CITIES = `(VALUES (1, 'JP-13', 'Tokyo'), (2, 'JP-14', 'Yokohama'), (3, 'JP-27', 'Osaka'), (4, 'JP-23', 'Nagoya'),
  (5, 'JP-01', 'Sapporo'), (6, 'JP-40', 'Fukuoka')) AS c (city_number, region, city)`

/** The cities of assets. */
const PLACES = 700

/** $1: the last number of the assets of each company, $2: the native minutes, $3: when the sensors were checked, $4: the time zone. */
const ENTITIES = [
  `INSERT INTO companies (number, id, name) OVERRIDING SYSTEM VALUE VALUES
     ${COMPANIES.map((name, i) => `(${i + 1}, ${idOf(name)}, 'Company ${name}')`).join(', ')}`,
  `INSERT INTO vendors (number, id, name, own, native_minutes) OVERRIDING SYSTEM VALUE VALUES
     ${[1, 15, 60, 1440].map((minutes, i) => `(${i + 1}, ${idOf(`v${minutes}`)}, 'Vendor ${i}', ${minutes === 1}, ${minutes})`).join(', ')}`,
  `INSERT INTO assets (number, id, legacy_id, company, company_id, name, media_type, format, status, indoors, facing_degrees, width_m, height_m,
     latitude, longitude, address, city, region, postal_code, country, time_zone) OVERRIDING SYSTEM VALUE
   SELECT n, 'a' || left(md5(n::text), 23), 100000 + n, width_bucket(n - 1, $1::integer[]) + 1, '', 'Asset ' || n,
     CASE WHEN n % 4 = 0 THEN 'static' ELSE 'digital' END,
     (ARRAY['billboard', 'bus_shelter', 'urban_panel', 'spectacular', 'window_panel', 'transit', 'street_furniture', 'place_based',
       'other'])[1 + floor(9 * (n * 37 % 101 / 101.0) ^ 2)::integer],
     CASE WHEN n * 53 % 97 < 68 THEN 'active' WHEN n * 53 % 97 < 88 THEN 'inactive' ELSE 'archived' END, n % 5 = 0, n * 7 % 360, 3.56, 2.52, 33 + n * 7919 % 70001 / 10000.0,
     134 + n * 6101 % 90001 / 10000.0, 'Main street ' || n, 'City ' || city, 'JP-' || 1 + city % 47, (10000 + n % 80000)::text, 'JP', $2
   FROM generate_series(1, ($1::integer[])[${COMPANIES.length}]) AS n CROSS JOIN LATERAL (
     -- Few cities have many faces, and most have few.
     SELECT floor(${PLACES} * (n * 7919 % 10007 / 10007.0) ^ 1.5)::integer AS city) AS place`,
  `INSERT INTO sensors (number, id, serial, model, vendor, vendor_name, native_minutes, asset, company, billable_state, installed_at,
     health_status, health_checked_at, health_last_seen_at) OVERRIDING SYSTEM VALUE
   SELECT a.number, 's' || substr(a.id, 2), 'BN-' || a.number, 'Counter', v.number, '', v.native_minutes, a.number, a.company, 'billable',
     '2020-01-01Z', 'healthy', now(), now()
   FROM assets a JOIN vendors v ON v.native_minutes = ($1::integer[])[1 + a.number % cardinality($1::integer[])]`,
  `INSERT INTO installations (sensor, asset, company, native_minutes, installed_at)
   SELECT number, asset, company, native_minutes, installed_at FROM sensors`,
  `INSERT INTO origin_places (company, region, city) SELECT number, region, city FROM companies, ${CITIES}`,
] as const

const VARIANT_TABLE =
  'CREATE TEMPORARY TABLE variants (minutes smallint, variant integer, impressions bigint, observed smallint, hours bytea, counts bytea)'

/** $1: the last day, $2: a month since year 0, $3: the long assets, $4: the days of the others. */
const days = (into: string, columns: string, from = '') => `
INSERT INTO ${into}
SELECT a.number, a.company, $1::date - back, ${columns}
FROM assets a JOIN sensors s ON s.asset = a.number
  CROSS JOIN generate_series($1::date - month_start($2 + 1) + 1, $1::date - month_start($2)) AS back ${from}
WHERE back BETWEEN 0 AND CASE WHEN a.number <= $3::integer THEN ${LONG_DAYS} ELSE $4::integer END - 1 ORDER BY a.number, back DESC`

const COUNTS = days(
  'sensor_days (asset, company, date, sensor, native_minutes, impressions, observed, hours, counts)',
  's.number, v.minutes, v.impressions, v.observed, v.hours, v.counts',
  `JOIN variants v ON v.minutes = s.native_minutes AND v.variant = (a.number * 7 + back) % ${VARIANTS}`,
)

const DEMOGRAPHICS = days(
  `demographic_days (asset, company, date, ${GROUP_COLUMNS})`,
  `${GROUP_COLUMNS.map((_, i) => `(a.number * ${i + 3} + back * 13) % 400`)}`,
)

const ORIGINS = days(
  'origin_days (asset, company, date, places, impressions)',
  `p.places, ARRAY[${Array.from({ length: 6 }, (_, i) => `1000 + (a.number * 31 + back * 17 + ${i * 401}) % 5000`)}]`,
  'JOIN (SELECT company, array_agg(number ORDER BY number) AS places FROM origin_places GROUP BY company) AS p ON p.company = a.company',
)

/** The foreign keys of days. They are checked once all are there: row by row takes longer than the inserts. */
const FOREIGN_KEYS = `
SELECT 'ALTER TABLE ' || conrelid::regclass || ' DROP CONSTRAINT ' || conname AS drop,
  format('ALTER TABLE %s ADD CONSTRAINT %s %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) AS add
FROM pg_constraint WHERE contype = 'f' AND conrelid::regclass::text IN ('sensor_days', 'origin_days', 'demographic_days')`

const NOW = `SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS at`

/** Stores a day of each month of every third asset once more, which is a change to the feed and as_of. */
const CHANGES = `
UPDATE sensor_days SET impressions = impressions + 0
WHERE asset IN (SELECT number FROM assets WHERE number % 3 = 0) AND extract(day FROM date) = 1 + asset % 28`

/** @param ownerUrl of a superuser */
export async function fill(ownerUrl: string, size: Size): Promise<BenchData> {
  const client = new Client({ connectionString: ownerUrl })
  await client.connect()
  try {
    await client.query(`SET work_mem = '256MB'`)
    await addMissingRules(client, [ZONE])
    const { assets, minutes, longAssets } = size
    const last = COMPANIES.map((_, i) =>
      COMPANIES.slice(0, i + 1).reduce((sum, name) => sum + assetsOf(name, assets), 0),
    )
    const values = [[], [], [last, ZONE], [minutes], [], []]
    for (const [i, statement] of ENTITIES.entries()) await client.query(statement, values[i])
    await client.query(VARIANT_TABLE)
    for (const each of new Set(minutes)) await insertVariants(client, each)
    await client.query('ANALYZE')
    const { rows: foreignKeys } = await client.query<{ drop: string; add: string }>(FOREIGN_KEYS)
    for (const { drop } of foreignKeys) await client.query(drop)
    const first = dateOf(dayNumber(LAST_DAY) - (longAssets > 0 ? LONG_DAYS : size.days) + 1)
    for (const month of splitByMonths([first, LAST_DAY]).all) {
      const values = [LAST_DAY, month, longAssets, size.days]
      for (const statement of [COUNTS, DEMOGRAPHICS, ...(size.hasOrigins ? [ORIGINS] : [])])
        await client.query(statement, values)
    }
    for (const { add } of foreignKeys) await client.query(add)
    const { rows: times } = await client.query<{ at: string }>(NOW)
    await client.query(CHANGES)
    await client.query('VACUUM (ANALYZE)')
    const keys = {} as BenchData['keys']
    const { rows: companies } = await client.query<{ id: string }>('SELECT id FROM companies ORDER BY number')
    for (const [i, name] of COMPANIES.entries()) {
      const grant = { scopes: ['internal:graphql:read'], reseller: false, label: name, rate: null }
      keys[name] = (await issueKey(client, ENVIRONMENT, { companies: [companies[i]!.id], ...grant })).key
    }
    const { rows } = await client.query<{ secret: Buffer }>('SELECT cursor_secret AS secret FROM service')
    const { rows: own } = await client.query<Asset>(
      `SELECT id, sensor_minutes AS minutes, CASE WHEN number <= $1 THEN ${LONG_DAYS} ELSE $2::integer END AS days
       FROM assets WHERE company = 1 ORDER BY id`,
      [longAssets, size.days],
    )
    return { keys, assets: own, filledAt: times[0]!.at, cursorSecret: rows[0]!.secret }
  } finally {
    await client.end()
  }
}

/** Packs different days of sensors. One in ten has a gap of an eighth of its length. */
async function insertVariants(client: Client, minutes: number): Promise<void> {
  const day = new LocalDayCache({ get: readNodeRules }).day(ZONE, dayNumber(LAST_DAY))
  const starts = listStarts(day, minutes)
  const chance = chances('bench', String(minutes))
  for (let variant = 0; variant < VARIANTS; variant++) {
    const gap = chance() < 0.1 ? Math.floor(chance() * starts.length) : starts.length
    const counts = starts.map((second, i) => {
      if (i >= gap && i < gap + Math.floor(starts.length / 8)) return MISSING
      const atThisTime = PER_MINUTE * minutes * (1 - 0.9 * Math.cos((second / 43_200) * Math.PI))
      return Math.round(atThisTime * (0.6 + 0.8 * chance()))
    })
    const { impressions, observed, hours, counts: packed } = packDay(day, starts, counts)
    await client.query('INSERT INTO variants VALUES ($1, $2, $3, $4, $5, $6)', [
      ...[minutes, variant, impressions, observed],
      ...[hours, packed],
    ])
  }
}
