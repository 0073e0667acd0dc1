/** Counts the calls of legacy routes by day and key, and reports them to the operator. Days and instants are UTC. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'

interface Log {
  error(details: object, message: string): void
}

interface Calls {
  calls: number
  /** Milliseconds since 1970. */
  last: number
}

const FLUSH_MS = 2_000
const LAST_FLUSH_MS = 3_000

/** Counts in memory and writes every few seconds, so that no request waits. Failed writes are repeated with the next. */
export class LegacyCalls {
  private counted = new Map<string, Calls>()
  private writing: Promise<void> = Promise.resolve()
  private readonly timer: NodeJS.Timeout

  constructor(
    private readonly writer: Pool,
    private readonly log: Log,
  ) {
    this.timer = setInterval(() => this.flush(), FLUSH_MS).unref()
  }

  /** @param at milliseconds since 1970 */
  count(apiKey: string, route: string, at: number): void {
    const day = Math.floor(at / 86_400_000)
    this.add(`${day}\n${apiKey}\n${route}`, { calls: 1, last: at })
  }

  /** Writes all counts so far. Does not throw. */
  flush(): Promise<void> {
    this.writing = this.writing.then(() => this.write())
    return this.writing
  }

  /** Writes the last counts, unless the database does not answer. */
  async close(): Promise<void> {
    clearInterval(this.timer)
    const written = this.flush().then(() => true)
    if (await Promise.race([written, sleep(LAST_FLUSH_MS, false, { ref: false })])) return
    this.log.error({}, 'the last legacy calls could not be written: the database does not answer')
  }

  private async write(): Promise<void> {
    const batch = this.counted
    if (batch.size === 0) return
    this.counted = new Map()
    const rows = [...batch].map(([name, { calls, last }]) => {
      const [, apiKey, route] = name.split('\n')
      return { at: new Date(last).toISOString(), apiKey, route, calls }
    })
    try {
      await this.writer.query('SELECT count_legacy_calls($1, $2, $3, $4)', [
        rows.map(({ at }) => at),
        rows.map(({ apiKey }) => apiKey),
        rows.map(({ route }) => route),
        rows.map(({ calls }) => calls),
      ])
    } catch (error) {
      for (const [name, calls] of batch) this.add(name, calls)
      this.log.error({ err: error }, 'legacy calls could not be written; they will be tried again')
    }
  }

  private add(name: string, { calls, last }: Calls): void {
    const counted = this.counted.get(name)
    this.counted.set(name, {
      calls: (counted?.calls ?? 0) + calls,
      last: Math.max(counted?.last ?? 0, last),
    })
  }
}

export interface LegacyTraffic {
  key_id: string
  label: string | null
  route: string
  calls: number
  last_called_at: string
  /** Calls of the seven days up to today, and of the seven days before. */
  last_7_days: number
  previous_7_days: number
}

/** The calls since a day (inclusive) by key and route, most calls first. */
export async function readLegacyTraffic(db: Pool, since: string): Promise<LegacyTraffic[]> {
  const { rows } = await db.query<LegacyTraffic>(
    `SELECT k.id AS key_id, k.label, c.route, sum(c.calls)::bigint AS calls, max(c.last_called_at) AS last_called_at,
       coalesce(sum(c.calls) FILTER (WHERE c.date > today - 7), 0)::bigint AS last_7_days,
       coalesce(sum(c.calls) FILTER (WHERE c.date > today - 14 AND c.date <= today - 7), 0)::bigint AS previous_7_days
     FROM legacy_calls c JOIN api_keys k ON k.id = c.api_key, CAST(now() AT TIME ZONE 'UTC' AS date) AS today
     WHERE c.date >= $1
     GROUP BY k.id, k.label, c.route
     ORDER BY calls DESC, k.id, c.route`,
    [since],
  )
  return rows
}

/** Since when legacy calls are counted, as RFC 3339. */
export async function readCountedFrom(db: Pool): Promise<string> {
  const { rows } = await db.query<{ legacy_counted_from: string }>('SELECT legacy_counted_from FROM service')
  return (rows[0] as { legacy_counted_from: string }).legacy_counted_from
}
