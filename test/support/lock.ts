/** A lock in the database that a test holds while others wait for it. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'

export class Lock {
  private constructor(private readonly client: Client) {}

  /** @param statement what takes it, such as `LOCK TABLE companies` */
  static async take(url: string, statement: string): Promise<Lock> {
    const client = new Client({ connectionString: url })
    await client.connect()
    await client.query(`BEGIN; ${statement}`)
    return new Lock(client)
  }

  /** Waits until a session waits for it. */
  async untilAwaited(): Promise<void> {
    // Within a transaction, pg_stat_activity stays as it was.
    const waiting = 'SELECT FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))'
    while ((await this.client.query(waiting)).rowCount === 0) await sleep(10)
  }

  /** Rolls its transaction back. May be called again. */
  release(): Promise<void> {
    return this.client.end()
  }
}
