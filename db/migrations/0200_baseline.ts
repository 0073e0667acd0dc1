/** The schema of a new database: the SQL files of `baseline/`, in order, one for each subject. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Knex } from 'knex'

const DIRECTORY = join(__dirname, 'baseline')

export async function up(knex: Knex): Promise<void> {
  for (const file of readdirSync(DIRECTORY).sort()) await knex.raw(readFileSync(join(DIRECTORY, file), 'utf8'))
}

export { down } from '../migrate/forward-only'
