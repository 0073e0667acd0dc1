/** Imports a backup into a database without data, in one transaction. */
import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { type ClientBase, escapeIdentifier, type Pool } from 'pg'
import { from } from 'pg-copy-streams'
import { FileError } from '../file-errors'
import { readCompleted } from '../migrate/check-schema'
import { migrate } from '../migrate/migrate'
import type { SchemaLockOptions } from '../migrate/schema-lock'
import { recordOperation } from '../operations/record'
import { OperatorError } from '../operator-error'
import { withPool } from '../postgres/pool'
import { inTransaction, toFileError } from '../transaction'
import { damaged, type ExportedTable, fileName, type Manifest, readTables, type Table } from './manifest'

/** Tables in which migrations store rows, so that a database without data has some. */
const WITH_FIRST_ROWS = ['service', 'transactions', 'zone_rules']

/**
 * Migrates a database up to the last migration of a backup, then stores all rows. The caller runs later migrations.
 *
 * @throws OperatorError DATABASE_NOT_EMPTY, EXPORT_DAMAGED; IMPORT_REFUSED when the database refuses the data or goes away.
 *   Nothing was stored then.
 */
export async function importAll(
  url: string,
  folder: string,
  manifest: Manifest,
  options: SchemaLockOptions = {},
): Promise<void> {
  const load = async (client: ClientBase) => {
    await checkEmpty(client, manifest)
    await loadTables(client, folder, manifest)
    const figures = { rows: manifest.tables.reduce((sum, { rows }) => sum + rows, 0) }
    await recordOperation(client, { command: 'import all', details: { file: folder }, figures })
    return { commit: true, result: undefined }
  }
  await withPool(url, { max: 1 }, async pool => {
    await checkEmpty(pool, manifest)
    await migrate(url, { ...options, until: manifest.migration })
    await inTransaction(pool, load, options.onWait)
  })
}

/** Checks that a database has no data, and no migration that came after that of a backup. */
async function checkEmpty(db: Pool | ClientBase, { migration }: Manifest): Promise<void> {
  const completed = await readCompleted(db)
  if (completed.length === 0) return
  const names = (await readTables(db)).map(({ name }) => name).filter(name => !WITH_FIRST_ROWS.includes(name))
  const exists = names.map(name => `EXISTS (SELECT FROM ${name}) AS ${name}`)
  const { rows } = await db.query<Record<string, boolean>>(`SELECT ${exists}`)
  const used = names.filter(name => rows[0]?.[name]).slice(0, 3)
  const later = completed.find(name => name > migration)
  if (used.length === 0 && later === undefined) return
  const reason =
    used.length > 0 ? `data already (${used.join(', ')})` : `a later schema (${later}) than the backup (${migration})`
  const remedy = 'import into a new one, in which `partner-metrics migrate` has not run'
  throw new OperatorError('DATABASE_NOT_EMPTY', `the database has ${reason}: ${remedy}`)
}

const FOREIGN_KEYS = `
SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS drop,
  format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) AS add
FROM pg_constraint WHERE contype = 'f' AND connamespace = 'public'::regnamespace ORDER BY oid`

/**
 * Stores the rows of all tables, without triggers: what they derive is in the backup as well. Foreign keys are added again
 * once all rows are there: PostgreSQL then checks whole tables, and keeps no list of rows that it has to check.
 */
async function loadTables(client: ClientBase, folder: string, manifest: Manifest): Promise<void> {
  const names = checkTables(await readTables(client), manifest.tables)
  const { rows: keys } = await client.query<{ drop: string; add: string }>(FOREIGN_KEYS)
  const alter = (change: string) => names.map(name => `ALTER TABLE ${name} ${change}`)
  await client.query(
    [
      `TRUNCATE ${names}`,
      ...keys.map(({ drop }) => drop),
      ...alter('DISABLE TRIGGER USER, NO FORCE ROW LEVEL SECURITY'),
    ].join('; '),
  )
  for (const table of manifest.tables) await loadTable(client, folder, table)
  await client.query(
    [...keys.map(({ add }) => add), ...alter('ENABLE TRIGGER USER, FORCE ROW LEVEL SECURITY')].join('; '),
  )
}

/** Returns the names of all tables, if those of the backup are the same, with the same columns. */
function checkTables(own: readonly Table[], exported: readonly ExportedTable[]): string[] {
  const describe = ({ name, columns }: Pick<Table, 'name' | 'columns'>) => `${name} (${columns.toSorted().join(', ')})`
  const [expected, given] = [own.map(describe), exported.map(describe)]
  const other = expected.find(table => !given.includes(table)) ?? given.find(table => !expected.includes(table))
  if (other !== undefined) throw damaged(`only one of the manifest and the database has ${other}`)
  return own.map(({ name }) => name)
}

async function loadTable(
  client: ClientBase,
  folder: string,
  { name, columns, rows, last_number }: ExportedTable,
): Promise<void> {
  const file = fileName({ name })
  const source = createReadStream(join(folder, file))
  const copy = client.query(from(`COPY ${name} (${columns.map(escapeIdentifier)}) FROM STDIN`))
  await pipeline(source, createGunzip(), copy).catch(error => {
    const known = toFileError(error)
    throw known instanceof FileError ? new FileError(`${file}: ${known.message}; nothing was imported`) : error
  })
  if (copy.rowCount !== rows) {
    throw new FileError(`${file}: ${copy.rowCount} rows could be stored, not ${rows}; nothing was imported`)
  }
  if (last_number === null) return
  const sequence = `pg_get_serial_sequence($1, (SELECT attname FROM pg_attribute WHERE attrelid = $1::text::regclass AND attidentity <> ''))`
  await client.query(`SELECT setval(${sequence}, $2)`, [name, last_number])
}
