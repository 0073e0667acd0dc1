/** A database of the version before: the SQL of its migrations, and the rows that a random history of commands left. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'

const FILE = join(__dirname, '..', 'db', 'migrations', 'before-0300.sql.gz')

/** SQL for an empty database. */
export const FORMER_DATABASE = gunzipSync(readFileSync(FILE)).toString()
