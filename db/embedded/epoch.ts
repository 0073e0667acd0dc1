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
  const { rowCount } = await owner.query(
    `SELECT FROM pg_db_role_setting JOIN pg_database d ON d.oid = setdatabase
     WHERE datname = $1 AND setrole = 0 AND 'partner_metrics.epoch=' || $2 = ANY (setconfig)`,
    [database, epoch],
  )
  if (rowCount !== 0) return
  const renewed = randomUUID()
  // The database first: after a crash in between, the two differ, and the epoch is renewed once more.
  await owner.query(`ALTER DATABASE ${database} SET partner_metrics.epoch = '${renewed}'`)
  writeFileSync(file, `${renewed}\n`, { flush: true })
}
