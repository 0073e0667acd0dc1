/** Compares the migrations of a database with those of this version. */
import type { ClientBase, Pool } from 'pg'
import { noDatabase, OperatorError } from '../operator-error'
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
  if (names.every(name => completed.includes(name))) return
  const reason = `the database in ${location} has the schema of an earlier version`
  const remedy = 'create a backup, then run `partner-metrics migrate`'
  throw new OperatorError('DATABASE_NOT_MIGRATED', `${reason}: ${remedy}`)
}

/**
 * Checks that this version knows all migrations of a database.
 *
 * @throws OperatorError DATABASE_NEWER when a later version has added some; DATABASE_INCOMPATIBLE when it is of before the first release
 */
export function checkKnown(completed: readonly string[], names: readonly string[]): void {
  checkReleased('the database', completed)
  const unknown = completed.filter(name => !names.includes(name))
  if (unknown.length === 0) return
  const listed = unknown.length > 3 ? `${unknown.slice(0, 3).join(', ')} …` : unknown.join(', ')
  const reason = `the database has migrations of a later version (${listed})`
  throw new OperatorError('DATABASE_NEWER', `${reason}: use that version, or a later one`)
}

/**
 * Checks that a database or an export of one was not made before the first release, whose migration comes after those of before.
 *
 * @throws OperatorError DATABASE_INCOMPATIBLE
 */
export function checkReleased(name: string, migrations: readonly string[]): void {
  const [first] = migrationNames()
  const last = migrations.filter(migration => migration < first!).at(-1)
  if (last === undefined) return
  const reason = `${name} was made before the first release (with the migration ${last}), and cannot be upgraded`
  const remedy = 'import the sources again, into a new database (another DATA_DIR or DATABASE_URL)'
  throw new OperatorError('DATABASE_INCOMPATIBLE', `${reason}: ${remedy}`)
}

/** Returns the names of the completed migrations, from Knex's table, which the first run creates. */
export async function readCompleted(db: Pool | ClientBase): Promise<string[]> {
  const { rows: tables } = await db.query("SELECT FROM pg_class WHERE oid = to_regclass('knex_migrations')")
  if (tables.length === 0) return []
  const { rows } = await db.query<{ name: string }>('SELECT name FROM knex_migrations ORDER BY id')
  return rows.map(({ name }) => name)
}
