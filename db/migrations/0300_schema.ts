/**
 * The schema. A new database runs the SQL files of `baseline/` in order, one for each subject. A database of the version before runs
 * `upgrade.sql`, the added subjects, `convert.sql`, then the functions, triggers and policies of all; it has this migration in place of
 * those that it ran.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Knex } from 'knex'
import { checkKnown, FORMER_MIGRATIONS } from '../migrate/check-schema'
import { convertSetAside } from '../migrate/convert-set-aside'
import { migrationNames } from '../migrate/migration-source'

const BASELINE = join(__dirname, 'baseline')

/** The subjects that the version before did not have. */
const ADDED_SUBJECTS = ['07-origins.sql', '09-set-aside-days.sql', '12-served-days.sql', '16-silence.sql']

const POLICIES = '15-row-level-security.sql'

const SUBJECTS = readdirSync(BASELINE).sort()

const words = (text: string): string[] => text.trim().split(/\s+/)

/**
 * Values of the placeholders in the SQL files. `«sum(GROUP)»` is repeated for each value of GROUP, separated by commas; `«+ GROUP»` is not
 * separated.
 */
const PLACEHOLDERS: Record<string, string[]> = {
  /** The days of a month. */
  DAY: Array.from({ length: 31 }, (_, i) => String(i + 1)),
  /** The columns of demographics. */
  GROUP: words('12_17 18_24 25_34 35_44 45_54 55_64 65 unknown').flatMap(age =>
    words('male female unknown').map(gender => `${gender}_${age}`),
  ),
  /** The columns that the API shows of an asset, and of a sensor: a record has changed when one of them has. */
  ASSET_COLUMN:
    words(`id legacy_id company_id name description media_type format venue_type_id status indoors facing_degrees
    width_m height_m latitude longitude address city region postal_code country time_zone sensor_ids sensor_minutes
    venue_taxonomy external_ids`),
  SENSOR_COLUMN: words('id serial model vendor_name native_minutes asset billable_state installed_at removed_at'),
}

const expand = (sql: string): string =>
  sql.replace(/«(.*?)»/g, (_, item: string) => {
    const [name, values] = Object.entries(PLACEHOLDERS).find(([placeholder]) => item.includes(placeholder))!
    const separator = item.startsWith('+') ? ' ' : ',\n    '
    return values.map(value => item.replaceAll(name, value)).join(separator)
  })

export async function up(knex: Knex): Promise<void> {
  const completed: string[] = await knex('knex_migrations').pluck('name')
  checkKnown(completed, migrationNames())
  // Functions may refer to tables of later files.
  await knex.raw('SET LOCAL check_function_bodies = off')
  if (completed.length > 0) {
    await runFiles(knex, ['../upgrade.sql', ...ADDED_SUBJECTS])
    await knex.transaction(async ({ client }) => convertSetAside(await client.acquireConnection()))
    await runFiles(knex, ['../convert.sql'])
    await knex.raw(SUBJECTS.map(file => definitions(readSubject(file))).join('\n'))
    await runFiles(knex, [POLICIES])
    await knex('knex_migrations').whereIn('name', FORMER_MIGRATIONS).delete()
    return
  }
  await runFiles(knex, SUBJECTS)
}

const readSubject = (file: string): string => expand(readFileSync(join(BASELINE, file), 'utf8'))

async function runFiles(knex: Knex, files: readonly string[]): Promise<void> {
  for (const file of files) await knex.raw(readSubject(file))
}

/** Returns the functions, privileges, triggers and comments of a subject, which replace those that there are. */
const definitions = (sql: string): string =>
  (
    sql.match(/^CREATE FUNCTION .*?\$\$;$|^CREATE (CONSTRAINT )?TRIGGER .*?;$|^REVOKE .*?;$|^COMMENT ON .*?';$/gms) ??
    []
  )
    .join('\n')
    .replace(/^CREATE (?=FUNCTION|TRIGGER)/gm, 'CREATE OR REPLACE ')

export { down } from '../migrate/forward-only'
