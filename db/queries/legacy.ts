/**
 * Reads the assets of the frozen legacy interface, without their counts; counts the calls of its routes by day and key, and reports them to
 * the operator. Days and instants are UTC.
 */
import type { Pool } from 'pg'
import { PeriodicWriter, type Writer, type WriterLog } from '../periodic-writer'
import { inScope, type ScopedReader } from '../postgres/scoped-reader'
import { HEALTH, type HealthRow } from './sensors'
import { findAssets, readRow, readRows } from './statements'

interface LegacyAssetRow {
  legacyId: number
  id: string
  name: string
  company: string
}

/** Sorted by an expression: in the order of the index of legacy ids, PostgreSQL would read the assets of all companies. */
const ASSETS = `
SELECT a.legacy_id AS "legacyId", a.id, a.name, c.name AS company
FROM assets a JOIN companies c ON c.number = a.company
WHERE ${inScope('a.company')} AND a.legacy_id IS NOT NULL
ORDER BY a.legacy_id::bigint`

/** Returns all assets in scope with a legacy id, ascending by it. */
export const readLegacyAssets = (reader: ScopedReader): Promise<LegacyAssetRow[]> =>
  readRows(reader, 'legacy-assets', () => ASSETS)

interface LegacyState {
  name: string
  latitude: number
  longitude: number
  /** Ascending by serial. */
  sensors: (HealthRow & { serial: string })[]
}

const STATE = `
SELECT a.name, a.latitude, a.longitude, (
    SELECT coalesce(json_agg(json_build_object('serial', serial,
      ${Object.entries(HEALTH).map(([name, sql]) => `'${name}', ${sql}`)}) ORDER BY serial), '[]')
    FROM sensors s WHERE asset = a.number
  ) AS sensors
FROM ${findAssets('name, latitude, longitude, number', 'any-id')} AS a`

/** Returns the asset with this id or legacy id; undefined when it is unknown or out of scope. */
export const readLegacyState = (reader: ScopedReader, id: string): Promise<LegacyState | undefined> =>
  readRow(reader, 'legacy-asset', () => STATE, { id })

interface Calls {
  /** The id of the key, the SHA-256 of its text in hex, or null for requests without a key. */
  caller: string | null
  route: string
  calls: number
  /** Milliseconds since 1970. */
  last: number
}

/** Callers by hash that are counted one by one between two writes; calls of further ones are counted without their key. */
const MAX_HASHES = 1_000

/** Adds to the counts in one order, so that processes that count at the same time cannot deadlock. */
const COUNT = `
  INSERT INTO legacy_calls AS known (date, api_key, route, calls, last_called_at)
  SELECT (counted.at AT TIME ZONE 'UTC')::date AS date, key.id, counted.route, sum(counted.calls), max(counted.at)
  FROM unnest($1::timestamptz[], $2::text[], $3::text[], $4::bigint[]) AS counted (at, caller, route, calls)
  LEFT JOIN LATERAL (
    SELECT k.id FROM api_keys k WHERE k.id = counted.caller
    UNION ALL
    SELECT k.id FROM api_keys k WHERE k.hash = CASE WHEN length(counted.caller) = 64 THEN decode(counted.caller, 'hex') END
  ) key ON true
  GROUP BY date, key.id, counted.route ORDER BY date, key.id, counted.route
  ON CONFLICT (date, api_key, route) DO UPDATE SET calls = known.calls + excluded.calls,
    last_called_at = greatest(known.last_called_at, excluded.last_called_at)`

export class LegacyCalls extends PeriodicWriter {
  private counted = new Map<string, Calls>()
  private hashes = 0

  constructor(writer: Writer, log: WriterLog) {
    super(writer, log, 'legacy calls')
  }

  /**
   * @param key the id of a valid key; the SHA-256 of one that is not known to be valid; undefined without a key
   * @param at milliseconds since 1970
   */
  count(key: string | Buffer | undefined, route: string, at: number): void {
    this.add({ caller: typeof key === 'object' ? key.toString('hex') : (key ?? null), route, calls: 1, last: at })
  }

  protected async write(): Promise<void> {
    const batch = [...this.counted.values()]
    if (batch.length === 0) return
    this.counted = new Map()
    this.hashes = 0
    try {
      await this.writer.query(COUNT, [
        batch.map(({ last }) => new Date(last).toISOString()),
        batch.map(({ caller }) => caller),
        batch.map(({ route }) => route),
        batch.map(({ calls }) => calls),
      ])
    } catch (error) {
      for (const calls of batch) this.add(calls)
      throw error
    }
  }

  private add({ caller, route, calls, last }: Calls): void {
    const name = `${Math.floor(last / DAY_MS)}\n${caller}\n${route}`
    const counted = this.counted.get(name)
    if (counted) {
      counted.calls += calls
      counted.last = Math.max(counted.last, last)
      return
    }
    const isHash = caller?.length === HASH_LENGTH
    if (isHash && this.hashes === MAX_HASHES) this.add({ caller: null, route, calls, last })
    else {
      if (isHash) this.hashes++
      this.counted.set(name, { caller, route, calls, last })
    }
  }
}

const DAY_MS = 86_400_000

/** Longer than the id of a key. */
const HASH_LENGTH = 64

export interface LegacyTraffic {
  /** Null: without a key, or with one that was never issued. */
  key_id: string | null
  label: string | null
  route: string
  calls: number
  last_called_at: string
}

/** Returns the calls since a day (inclusive) by key and route, most calls first. */
export async function readLegacyTraffic(db: Pool, since: string): Promise<LegacyTraffic[]> {
  const { rows } = await db.query<LegacyTraffic>(
    `SELECT k.id AS key_id, k.label, c.route, sum(c.calls)::bigint AS calls, max(c.last_called_at) AS last_called_at
     FROM legacy_calls c LEFT JOIN api_keys k ON k.id = c.api_key
     WHERE c.date >= $1
     GROUP BY k.id, k.label, c.route
     ORDER BY calls DESC, k.id, c.route`,
    [since],
  )
  return rows
}

export interface LegacySilence {
  /** Since when calls are counted, as RFC 3339. */
  counted_from: string
  /** The last call ever, as RFC 3339. */
  last_called_at: string | null
  /** Whole days without a call that were recorded. */
  days: number
}

export async function readLegacySilence(db: Pool): Promise<LegacySilence> {
  const { rows } = await db.query<LegacySilence>(
    `SELECT counted_from, last_called_at,
       floor(extract(epoch FROM now() - greatest(counted_from, last_called_at)) / 86400)::integer AS days
     FROM (SELECT legacy_counted_from AS counted_from, (SELECT max(last_called_at) FROM legacy_calls) AS last_called_at
           FROM service) AS recorded`,
  )
  return rows[0]!
}
