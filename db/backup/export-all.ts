/** Exports all tables into a folder, as they are at one moment, beside everything else. */
import { createHash } from 'node:crypto'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { type ClientBase, escapeIdentifier, type Pool } from 'pg'
import { to } from 'pg-copy-streams'
import { readCompleted } from '../migrate/check-schema'
import { inSnapshot } from '../transaction'
import { ExportFolder } from './export-folder'
import { type ExportedTable, fileName, MANIFEST, type Manifest } from './manifest'
import { readTables, type Table } from './tables'

interface ExportOptions {
  /** The version of this program. */
  version: string
  /** Receives an estimate of the number of all rows. */
  onTotal?: (rows: number) => void
  /** Receives the number of further rows that were read. */
  onRows?: (rows: number) => void
}

/** @throws OperatorError FOLDER_NOT_EMPTY, FOLDER_UNUSABLE */
export async function exportAll(pool: Pool, path: string, options: ExportOptions): Promise<Manifest> {
  const { version, onTotal = () => {}, onRows = () => {} } = options
  const folder = new ExportFolder(path)
  // A signal ends the process while the export is still running.
  const discard = () => folder.discard()
  process.once('exit', discard)
  try {
    return await inSnapshot(pool, async client => {
      const all = await readTables(client)
      onTotal(all.reduce((sum, { estimate }) => sum + estimate, 0))
      const { rows } = await client.query<{ now: string }>('SELECT now()')
      const migration = (await readCompleted(client)).at(-1)!
      const tables: ExportedTable[] = []
      for (const table of all) tables.push(await writeTable(client, folder, table, onRows))
      const manifest = { version, migration, exported_at: rows[0]!.now, tables }
      await pipeline([`${JSON.stringify(manifest, null, 2)}\n`], folder.open(MANIFEST))
      folder.complete()
      return manifest
    })
  } finally {
    process.off('exit', discard)
    discard()
  }
}

async function writeTable(
  client: ClientBase,
  folder: ExportFolder,
  { name, columns, last_number }: Table,
  onRows: (rows: number) => void,
): Promise<ExportedTable> {
  const copy = client.query(to(`COPY ${name} (${columns.map(escapeIdentifier)}) TO STDOUT`))
  const [gzip, hash] = [createGzip(), createHash('sha256')]
  // In the text format of COPY a row is a line.
  copy.on('data', chunk => onRows(chunk.toString('latin1').split('\n').length - 1))
  gzip.on('data', chunk => hash.update(chunk))
  await pipeline(copy, gzip, folder.open(fileName({ name })))
  return { name, columns, rows: copy.rowCount, last_number, sha256: hash.digest('hex') }
}
