/**
 * Counts who calls which legacy route, by day. Counting is a matter of memory; what was counted is written every few
 * seconds and at the end, never in a request's way. What cannot be written stays until it can.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'

/** Where faults of the writing are told. */
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

const WRITE = 'SELECT count_legacy_calls($1, $2, $3, $4)'

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

  /** Writes what was counted so far. Does not throw: what failed is tried again with the next. */
  flush(): Promise<void> {
    this.writing = this.writing.then(() => this.write())
    return this.writing
  }

  /** Writes the last of it, unless the database does not answer. */
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
      await this.writer.query(WRITE, [
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
    const known = this.counted.get(name)
    this.counted.set(name, {
      calls: (known?.calls ?? 0) + calls,
      last: Math.max(known?.last ?? 0, last),
    })
  }
}
