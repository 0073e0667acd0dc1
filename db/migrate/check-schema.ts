/** Compares the migrations of a database with those of this version. */
import type { ClientBase, Pool } from 'pg'
import { noDatabase, OperatorError } from '../operator-error'
import { migrationNames } from './migration-source'

/** The migrations of the version before. A database that has run exactly these is upgraded by the first one of this version. */
export const FORMER_MIGRATIONS: readonly string[] = [
  '0200_baseline.ts',
  '0201_ledger.ts',
  '0202_set_aside.ts',
  '0203_notes.ts',
  '0204_health_history.ts',
  '0206_restatements.ts',
  '0211_external_ids.ts',
  '0213_doctor.ts',
  '0214_keys.ts',
  '0215_short_commits.ts',
  '0216_names_in_nfc.ts',
  '0220_set_aside_assets.ts',
  '0230_days_set_aside.ts',
  '0240_notes_of_moved_sensors.ts',
  '0250_closings.ts',
  '0260_dates_of_assets.ts',
]

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
 * Checks that this version can continue with the migrations of a database: those that it knows, or all of the version before.
 *
 * @throws OperatorError DATABASE_NEWER when a later version has added some; DATABASE_INCOMPATIBLE when the database has others
 */
export function checkKnown(completed: readonly string[], names: readonly string[]): void {
  const unknown = completed.filter(name => !names.includes(name))
  if (unknown.length === 0 || hasFormer(completed)) return
  const listed = unknown.length > 3 ? `${unknown.slice(0, 3).join(', ')} …` : unknown.join(', ')
  if (names.every(name => completed.includes(name))) {
    const reason = `the database has migrations of a later version (${listed})`
    throw new OperatorError('DATABASE_NEWER', `${reason}: use that version, or a later one`)
  }
  const [first, last] = [FORMER_MIGRATIONS[0], FORMER_MIGRATIONS.at(-1)]
  const reason = `the database has migrations of another version (${listed}), and was not changed`
  throw new OperatorError(
    'DATABASE_INCOMPATIBLE',
    `${reason}: this version upgrades databases with exactly the migrations from ${first} to ${last}; ` +
      'run `partner-metrics migrate` of the version that ends with these, then that of this one',
  )
}

const hasFormer = (completed: readonly string[]): boolean =>
  completed.length === FORMER_MIGRATIONS.length && FORMER_MIGRATIONS.every(name => completed.includes(name))

/** Returns the names of the completed migrations, from Knex's table, which the first run creates. */
export async function readCompleted(db: Pool | ClientBase): Promise<string[]> {
  const { rows: tables } = await db.query("SELECT FROM pg_class WHERE oid = to_regclass('knex_migrations')")
  if (tables.length === 0) return []
  const { rows } = await db.query<{ name: string }>('SELECT name FROM knex_migrations ORDER BY id')
  return rows.map(({ name }) => name)
}
