/** Writes the schema of a new database to a file. `npm run generate` does so for db/migrations/schema.sql. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEmbedded } from '../embedded/embedded-cluster'
import { migrate } from './migrate'
import { dumpSchema } from './schema-dump'
import { withSchemaLock } from './schema-lock'

/** The database is in an embedded cluster that exists for this alone. */
export async function writeSchema(file: string): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'partner-metrics-schema-'))
  chmodSync(dataDir, 0o755)
  const { ownerUrl, leave } = await openEmbedded({ dataDir, create: true, settings: { fsync: 'off' } })
  try {
    await migrate(ownerUrl)
    writeFileSync(file, await withSchemaLock(ownerUrl, dumpSchema))
  } finally {
    await leave()
    rmSync(dataDir, { recursive: true, force: true })
  }
}
