/** Imports an export into an empty database, in one transaction. */
import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { parse } from 'csv-parse'
import type { ClientBase, Pool } from 'pg'
import { FileError } from '../file-errors'
import type { OnWait } from '../locks'
import { recordOperation } from '../operations/record'
import { describeRevision } from '../operations/revision'
import { OperatorError } from '../operator-error'
import { inTransaction } from '../transaction'
import { addMissingRules } from '../zones/rules-in-force'
import { type BackupFile, fileName } from './backup-file'
import { FILES } from './files'
import { BEGIN_LEDGER, LEDGER_SINCE } from './ledger-files'
import { type Manifest, readManifest, verifyFiles } from './manifest'
import { recordBatches } from './record-batches'

/** Bytes of CSV that are stored at once: PostgreSQL keeps the rows of a statement for the triggers. */
const BATCH_SIZE = 8 * 2 ** 20

interface ImportAllOptions {
  onWait?: OnWait
  /** Receives the size of all files. */
  onTotal?: (bytes: number) => void
  /** Receives the number of further bytes that were read. */
  onBytes?: (bytes: number) => void
}

/**
 * Verifies the files of a folder, then stores all of their rows.
 *
 * @throws OperatorError NOT_AN_EXPORT, EXPORT_DAMAGED, EXPORT_NEWER, DATABASE_NOT_EMPTY; IMPORT_REFUSED when the database
 *   refuses the data or goes away. Nothing was stored then.
 */
export async function importAll(pool: Pool, folder: string, options: ImportAllOptions = {}): Promise<Manifest> {
  const { onTotal = () => {}, onBytes = () => {} } = options
  const manifest = readManifest(folder, format => filesOf(format).map(fileName))
  await verifyFiles(folder, manifest)
  onTotal(manifest.files.reduce((sum, { bytes }) => sum + bytes, 0))
  const run = async (client: ClientBase) => {
    await checkEmpty(client)
    await describeRevision(client, 'unrecorded')
    if (manifest.format === 1) await addMissingRules(client, await readZones(folder))
    for (const file of filesOf(manifest.format)) {
      const rows = await readFile(client, folder, file, manifest.format, onBytes)
      const exported = manifest.files.find(({ name }) => name === fileName(file))?.rows
      if (rows !== exported) {
        throw new FileError(`${fileName(file)}: ${rows} rows could be stored, not ${exported}; nothing was imported`)
      }
    }
    if (manifest.format < LEDGER_SINCE) await client.query(BEGIN_LEDGER)
    const figures = Object.fromEntries(manifest.files.map(({ name, rows }) => [name.replace('.csv.gz', ''), rows]))
    await recordOperation(client, { command: 'import all', details: { file: folder }, figures })
    return { commit: true, result: manifest }
  }
  return inTransaction(pool, run, options.onWait)
}

const filesOf = (format: number): BackupFile[] => FILES.filter(({ since }) => since <= format)

/** Returns the time zones of exported assets, whose counts are read by the rules of this Node.js where the export has none. */
async function readZones(folder: string): Promise<string[]> {
  const zones = new Set<string>()
  const rows = createReadStream(join(folder, fileName({ name: 'assets' })))
  await pipeline(
    rows,
    createGunzip(),
    parse({ columns: true }),
    async (assets: AsyncIterable<{ time_zone: string }>) => {
      for await (const { time_zone } of assets) zones.add(time_zone)
    },
  )
  return [...zones]
}

async function checkEmpty(client: ClientBase): Promise<void> {
  const tables = FILES.filter(({ isEmptyAtFirst }) => isEmptyAtFirst).map(({ table }) => table)
  const columns = tables.map(table => `EXISTS (SELECT 1 FROM ${table}) AS ${table}`)
  const { rows } = await client.query<Record<string, boolean>>(`SELECT ${columns.join(', ')}`)
  const used = tables.filter(table => rows[0]?.[table])
  if (used.length === 0) return
  throw new OperatorError(
    'DATABASE_NOT_EMPTY',
    `the database has data already (${used.join(', ')}): import into a new one, which \`partner-metrics migrate\` creates`,
  )
}

/** Stores the rows of a file, and returns their number. */
async function readFile(
  client: ClientBase,
  folder: string,
  file: BackupFile,
  format: number,
  onBytes: (bytes: number) => void,
): Promise<number> {
  const name = fileName(file)
  let stored = 0
  const source = createReadStream(join(folder, name))
  source.on('data', chunk => onBytes(chunk.length))
  await pipeline(source, createGunzip(), async chunks => {
    const batches = recordBatches(chunks as AsyncIterable<Buffer>, BATCH_SIZE)
    const header = await batches.next()
    const columns = file.columns.filter(column => (file.added?.[column] ?? 0) <= format)
    if (String(header.value) !== String(columns)) {
      throw new FileError(`${name}: it has the columns ${header.value}, not ${columns}; nothing was imported`)
    }
    stored = await file.store(client, batches, columns)
  })
  return stored
}
