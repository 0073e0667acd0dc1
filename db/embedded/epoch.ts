/**
 * The epoch of the data: a random value both in the database and in a file beside its directory. Files that were restored
 * from a backup have another value than the file, or the file is gone: then the epoch is renewed, which makes the cursors of
 * the feed of changes from before invalid.
 */
import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from 'pg'

/** @param owner a connection of the superuser */
export async function keepEpoch(owner: Client, dataDir: string, database: string): Promise<void> {
  const file = join(dataDir, 'epoch')
  const epoch = existsSync(file) ? readFileSync(file, 'utf8').trim() : ''
  const { rows } = await owner.query<{ current: boolean }>(
    `SELECT EXISTS (SELECT FROM pg_db_role_setting
       WHERE setdatabase = d.oid AND setrole = 0 AND 'partner_metrics.epoch=' || $2 = ANY (setconfig)) AS current
     FROM pg_database d WHERE datname = $1`,
    [database, epoch],
  )
  // There is no database yet where its creation was interrupted.
  if (!rows[0] || rows[0].current) return
  const renewed = randomUUID()
  // The database first: after a crash in between, the two differ, and the epoch is renewed once more.
  await owner.query(`ALTER DATABASE ${database} SET partner_metrics.epoch = '${renewed}'`)
  writeFileSync(file, `${renewed}\n`, { flush: true })
}
