/** Measures what PostgreSQL reads, and its CPU. */
import { existsSync, readFileSync } from 'node:fs'
import type { ClientBase } from 'pg'
import { Batch } from '../../../db/postgres/batch'
import { unusedStatement } from '../../support/traffic'
import type { World } from '../../support/world'

export interface Cost {
  /** Rows, and entries of indexes. */
  rows: number
  blocks: number
  /** Milliseconds. */
  cpu: number
}

/**
 * Read by all sessions that have reported it. The catalogue, which planning reads, is left out; so are temporary tables, whose figures are
 * lost when they are dropped.
 */
const READ = `
SELECT tup_returned - c.rows AS rows, blks_hit + blks_read - c.blocks AS blocks,
  ARRAY(SELECT pid FROM pg_stat_activity WHERE datname = current_database()) AS sessions,
  (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state <> 'idle') AS busy
FROM pg_stat_database, (
  SELECT sum(pg_stat_get_tuples_returned(oid)) AS rows, sum(pg_stat_get_blocks_fetched(oid)) AS blocks
  FROM pg_class WHERE oid < 16384 AND NOT relisshared) AS c
WHERE datname = current_database()`

/** A batch after which the session reports what it has read. */
export class ReportingBatch extends Batch {
  override sendOn(client: ClientBase): void {
    this.statements.push(unusedStatement('report', 'SELECT pg_stat_force_next_flush()'))
    super.sendOn(client)
  }
}

export class Meter {
  private readonly times = new Map<number, number>()

  constructor(private readonly world: World) {}

  async measure(action: () => Promise<unknown>): Promise<Cost> {
    // An ANALYZE before it may not be reported yet.
    await this.world.rows('SELECT pg_stat_force_next_flush()')
    const before = await this.read()
    await action()
    let after = await this.read()
    // A session that is ending has not reported yet.
    while (after.busy > before.busy) after = await this.read()
    return { rows: after.rows - before.rows, blocks: after.blocks - before.blocks, cpu: after.cpu - before.cpu }
  }

  private async read(): Promise<Cost & { busy: number }> {
    const [row] = (await this.world.rows(READ)) as [{ rows: number; blocks: number; sessions: number[]; busy: number }]
    const { rows, blocks, sessions, busy } = row
    for (const pid of sessions) {
      const file = `/proc/${pid}/schedstat`
      if (existsSync(file)) this.times.set(pid, Number(readFileSync(file, 'utf8').split(' ')[0]) / 1e6)
    }
    return { rows, blocks, busy, cpu: [...this.times.values()].reduce((sum, time) => sum + time, 0) }
  }
}
