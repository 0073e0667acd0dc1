/** Compares the migrations of a database with those of this version. */
import type { ClientBase, Pool } from 'pg'
import { moveTo, noDatabase, OperatorError } from '../operator-error'
import { migrationNames } from './migration-source'

/**
 * Checks that a database has the schema of this version. It reads only, so that any command can do it beside a service.
 *
 * @param location where the database is, for messages
 * @param names the migrations of this version
 * @throws OperatorError NO_DATABASE, DATABASE_NOT_MIGRATED, DATABASE_NEWER or DATABASE_INCOMPATIBLE
 */
export async function checkSchema(
  db: Pool,
  location: string,
  names: readonly string[] = migrationNames(),
): Promise<void> {
  const completed = await readCompleted(db)
  if (completed.length === 0) throw noDatabase(location)
  checkKnown(completed, names)
  if (completed.length === names.length) return
  const reason = `the database in ${location} has the schema of an earlier version`
  const remedy = 'create a backup, then run `partner-metrics migrate`'
  throw new OperatorError('DATABASE_NOT_MIGRATED', `${reason}: ${remedy}`)
}

/**
 * Checks that this version knows all migrations of a database.
 *
 * @throws OperatorError DATABASE_NEWER when a later version has added some; DATABASE_INCOMPATIBLE when the database began
 *   with others, so that neither version can continue with the migrations of the other one
 */
export function checkKnown(completed: readonly string[], names: readonly string[]): void {
  const unknown = completed.filter(name => !names.includes(name))
  if (unknown.length === 0) return
  const listed = unknown.length > 3 ? `${unknown.slice(0, 3).join(', ')} …` : unknown.join(', ')
  if (names.every(name => completed.includes(name))) {
    const reason = `the database has migrations of a later version (${listed})`
    throw new OperatorError('DATABASE_NEWER', `${reason}: use that version, or a later one`)
  }
  const reason = `the database was created by another version, and cannot be upgraded or downgraded (${listed})`
  throw new OperatorError('DATABASE_INCOMPATIBLE', `${reason}: ${moveTo('a new database')}`)
}

/** Returns the names of the completed migrations, from Knex's table, which the first run creates. */
export async function readCompleted(db: Pool | ClientBase): Promise<string[]> {
  const { rows: tables } = await db.query("SELECT FROM pg_class WHERE oid = to_regclass('knex_migrations')")
  if (tables.length === 0) return []
  const { rows } = await db.query<{ name: string }>('SELECT name FROM knex_migrations ORDER BY id')
  return rows.map(({ name }) => name)
}
