/** Exports all tables into a folder, as they are at one moment, beside everything else. */
import { createHash } from 'node:crypto'
import { createWriteStream, existsSync, mkdtempSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { type ClientBase, escapeIdentifier, type Pool } from 'pg'
import { to } from 'pg-copy-streams'
import { makeDirectory } from '../make-directory'
import { readCompleted } from '../migrate/check-schema'
import { OperatorError } from '../operator-error'
import { inSnapshot } from '../transaction'
import { type ExportedTable, fileName, MANIFEST, type Manifest, readTables, type Table } from './manifest'

/** Hashes of keys and the secret of cursors are in the files. */
const OWNER_ONLY = { mode: 0o600, flush: true }

/**
 * Writes the files into a folder beside `folder`, which gets its name once it is complete. A process that was killed may leave
 * it behind.
 *
 * @param folder a new folder, or an empty one
 * @param version of this program
 * @throws OperatorError FOLDER_NOT_EMPTY, FOLDER_UNUSABLE
 */
export async function exportAll(pool: Pool, folder: string, version: string): Promise<Manifest> {
  const partial = makePartial(folder)
  const discard = () => rmSync(partial, { recursive: true, force: true })
  // A signal ends the process while the export is still running.
  process.once('exit', discard)
  try {
    return await inSnapshot(pool, async client => {
      const { rows } = await client.query<{ now: string }>('SELECT now()')
      const migration = (await readCompleted(client)).at(-1)!
      const tables: ExportedTable[] = []
      for (const table of await readTables(client)) tables.push(await writeTable(client, partial, table))
      const manifest = { version, migration, exported_at: rows[0]!.now, tables }
      await pipeline([JSON.stringify(manifest, null, 2)], createWriteStream(join(partial, MANIFEST), OWNER_ONLY))
      renameSync(partial, folder)
      return manifest
    })
  } finally {
    process.off('exit', discard)
    discard()
  }
}

function makePartial(folder: string): string {
  try {
    makeDirectory(dirname(folder), 0o700)
    if (existsSync(folder)) {
      const [file] = readdirSync(folder)
      if (file !== undefined) {
        throw new OperatorError('FOLDER_NOT_EMPTY', `${folder} has files (${file}): give a new folder, or an empty one`)
      }
      // Another folder takes its place.
      rmdirSync(folder)
    }
    return mkdtempSync(`${folder}.partial-`)
  } catch (error) {
    if (error instanceof OperatorError) throw error
    const reason = `${folder} cannot be written to: ${(error as Error).message}`
    throw new OperatorError('FOLDER_UNUSABLE', `${reason}: give a new folder in one that this account may write to`)
  }
}

async function writeTable(
  client: ClientBase,
  folder: string,
  { name, columns, last_number }: Table,
): Promise<ExportedTable> {
  const copy = client.query(to(`COPY ${name} (${columns.map(escapeIdentifier)}) TO STDOUT`))
  const [gzip, hash] = [createGzip(), createHash('sha256')]
  gzip.on('data', chunk => hash.update(chunk))
  await pipeline(copy, gzip, createWriteStream(join(folder, fileName({ name })), OWNER_ONLY))
  return { name, columns, rows: copy.rowCount, last_number, sha256: hash.digest('hex') }
}
