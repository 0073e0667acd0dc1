/** Creates the database: runs the SQL files of `baseline/` in order, one for each subject. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Knex } from 'knex'

const BASELINE = join(__dirname, 'baseline')

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
  for (const file of readdirSync(BASELINE).sort()) await knex.raw(expand(readFileSync(join(BASELINE, file), 'utf8')))
}

export { down } from '../migrate/forward-only'
