/**
 * The connections of a pool, kept in hand while they rest: to have the pool hand one out and take it back, with its timers
 * and listeners, costs a small request more than its own statement.
 */
import type { Pool, PoolClient } from 'pg'

/** What rested so long goes back to the pool, which closes it in its own time. */
const LONGEST_REST_MS = 10_000

export class Connections {
  /** The one that rested shortest comes last. */
  private readonly resting: PoolClient[] = []
  /** How many rested at least, since the last look. */
  private fewest = 0
  private readonly looking: NodeJS.Timeout
  /** Those who wait for one. */
  private readonly wanted: { take(client: PoolClient): void; fail(error: unknown): void }[] = []
  private isOpening = false

  constructor(private readonly pool: Pool) {
    pool.on('connect', client => client.once('end', () => this.forget(client as PoolClient)))
    this.looking = setInterval(() => this.giveUp(this.fewest), LONGEST_REST_MS).unref()
  }

  /** One to work with. @throws what keeps the pool from connecting */
  take(): PoolClient | Promise<PoolClient> {
    const client = this.resting.pop()
    this.fewest = Math.min(this.fewest, this.resting.length)
    if (client) return client
    return new Promise((take, fail) => {
      this.wanted.push({ take, fail })
      this.open()
    })
  }

  /** @param broken whether nobody can work with it any more */
  giveBack(client: PoolClient, broken: boolean): void {
    if (broken || this.pool.waitingCount > 0 || this.pool.ending) client.release(broken)
    else this.hand(client)
  }

  /** All connections, those of them without work, and how many wait for one. */
  get state(): { total: number; idle: number; waiting: number } {
    const { totalCount, idleCount } = this.pool
    return { total: totalCount, idle: idleCount + this.resting.length, waiting: this.wanted.length }
  }

  /**
   * Opens one for those who wait, one at a time: a new one costs PostgreSQL as much as a dozen requests, and meanwhile
   * another may be given back.
   */
  private async open(): Promise<void> {
    if (this.isOpening) return
    this.isOpening = true
    try {
      // Who waited may have one meanwhile, and the pool may be about to end.
      while (this.wanted.length > 0) this.giveBack(await this.pool.connect(), false)
    } catch (error) {
      for (const { fail } of this.wanted.splice(0)) fail(error)
    } finally {
      this.isOpening = false
    }
  }

  /** Hands one to who has waited longest, or lets it rest. */
  private hand(client: PoolClient): void {
    const next = this.wanted.shift()
    if (next) next.take(client)
    else this.resting.push(client)
  }

  /** Leaves all to the pool, which is about to end. */
  close(): void {
    clearInterval(this.looking)
    this.giveUp(this.resting.length)
  }

  private giveUp(count: number): void {
    for (const client of this.resting.splice(0, count)) client.release()
    this.fewest = this.resting.length
  }

  /** One that ended while it rested. */
  private forget(client: PoolClient): void {
    const place = this.resting.indexOf(client)
    if (place < 0) return
    this.resting.splice(place, 1)
    client.release(true)
  }
}
