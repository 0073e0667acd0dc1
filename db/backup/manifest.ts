/** The tables of a backup, and its manifest: what its files contain. */
import { createHash } from 'node:crypto'
import { createReadStream, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { ClientBase, Pool } from 'pg'
import { checkReleased } from '../migrate/check-schema'
import { migrationNames } from '../migrate/migration-source'
import { OperatorError } from '../operator-error'

/** All permanent tables are in it, whichever there are, but for those of the processes that use the database. */
const OF_PROCESSES = ['knex_migrations', 'knex_migrations_lock', 'locks', 'service_processes']

export interface Table {
  name: string
  columns: string[]
  /** The last number that was given to a row, of those that the database gives; null without any. */
  last_number: number | null
}

const TABLES = `
SELECT relname AS name, pg_sequence_last_value(pg_get_serial_sequence(relname, i.attname)::regclass) AS last_number,
  ARRAY(SELECT attname::text FROM pg_attribute
    WHERE attrelid = t.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum) AS columns
FROM pg_class t LEFT JOIN pg_attribute i ON i.attrelid = t.oid AND i.attidentity <> ''
WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relpersistence = 'p' AND relname <> ALL ($1)
ORDER BY name`

export const readTables = async (db: Pool | ClientBase): Promise<Table[]> =>
  (await db.query<Table>(TABLES, [OF_PROCESSES])).rows

export const MANIFEST = 'manifest.json'

export interface ExportedTable extends Pick<Table, 'name' | 'columns' | 'last_number'> {
  rows: number
  /** The hash of the compressed file, in hexadecimal digits. */
  sha256: string
}

export interface Manifest {
  /** The version of the program that wrote the backup. */
  version: string
  migration: string
  /** RFC 3339 in UTC. */
  exported_at: string
  tables: ExportedTable[]
}

export const fileName = ({ name }: Pick<Table, 'name'>): string => `${name}.tsv.gz`

/**
 * Reads the manifest of a folder, and compares the files with it.
 *
 * @throws OperatorError NOT_AN_EXPORT, EXPORT_DAMAGED, or EXPORT_NEWER or DATABASE_INCOMPATIBLE where this version does not know its migration
 */
export async function readBackup(folder: string): Promise<Manifest> {
  const path = join(folder, MANIFEST)
  if (!existsSync(path)) {
    throw new OperatorError('NOT_AN_EXPORT', `${folder} has no ${MANIFEST}: give the folder of an \`export all\``)
  }
  const manifest = parse(path)
  checkReleased(folder, [manifest.migration])
  if (!migrationNames().includes(manifest.migration)) {
    const reason = `${folder} was exported by version ${manifest.version} with the migration ${manifest.migration}`
    throw new OperatorError('EXPORT_NEWER', `${reason}, which this version does not know: use that one, or a later one`)
  }
  for (const table of manifest.tables) {
    const file = join(folder, fileName(table))
    if (!existsSync(file)) throw damaged(`${file} is missing`)
    const hash = createHash('sha256')
    await pipeline(createReadStream(file), hash)
    if (hash.digest('hex') !== table.sha256) throw damaged(`${file} is damaged: it is not the file that was exported`)
  }
  return manifest
}

function parse(path: string): Manifest {
  try {
    const manifest = JSON.parse(readFileSync(path, 'utf8'))
    if (typeof manifest.migration === 'string' && Array.isArray(manifest.tables)) return manifest
  } catch {
    // The error below says so.
  }
  throw damaged(`${path} is damaged: it is not the manifest of a backup`)
}

export const damaged = (reason: string): OperatorError =>
  new OperatorError('EXPORT_DAMAGED', `${reason}; nothing was imported`)
