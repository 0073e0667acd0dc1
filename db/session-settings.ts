/**
 * The settings with which the sessions of a login begin. They belong to the login: poolers refuse settings that a client sends when it
 * connects, or lose them.
 */
import type { Pool } from 'pg'
import { BEGIN } from './transaction'

interface RequiredSetting {
  value: string
  /** The values, as PostgreSQL shows them, that do as well. */
  accepted: RegExp
}

const NOT_ZERO = /[1-9]/

/** Values arrive in the form that the parsers of a pool expect. */
const VALUES: Record<string, RequiredSetting> = {
  TimeZone: { value: 'UTC', accepted: /^(Etc\/)?(UTC|UCT|GMT|Universal|Zulu)$/i },
  DateStyle: { value: 'ISO', accepted: /^ISO\b/i },
  bytea_output: { value: 'hex', accepted: /^hex$/ },
}

const REQUIRED: Record<SessionLogin, Record<string, RequiredSetting>> = {
  owner: VALUES,
  // All statements of a transaction see one snapshot. The time-outs bound those that the service has given up.
  reader: {
    ...VALUES,
    default_transaction_read_only: { value: 'on', accepted: /^on$/ },
    default_transaction_isolation: { value: 'repeatable read', accepted: /^repeatable read$/ },
    // PostgreSQL assumes that a key reads ten companies: with few, however large, it would scan the rows of all others, too.
    enable_seqscan: { value: 'off', accepted: /^off$/ },
    statement_timeout: { value: '10min', accepted: NOT_ZERO },
    idle_in_transaction_session_timeout: { value: '1min', accepted: NOT_ZERO },
  },
}

export type SessionLogin = 'owner' | 'reader'

/** A setting that the sessions of a login lack. */
interface MissingSetting {
  name: string
  /** Its value instead. */
  value: string
  statement: string
}

/** Returns the required settings of a login, by name. */
export const requiredSettings = (login: SessionLogin): [name: string, value: string][] =>
  Object.entries(REQUIRED[login]).map(([name, { value }]) => [name, value])

/** Returns the settings that the login of a pool lacks. */
export async function readMissingSettings(pool: Pool, login: SessionLogin): Promise<MissingSetting[]> {
  const required = requiredSettings(login)
  const { rows } = await pool.query<MissingSetting>(
    `SELECT name, current_setting(name) AS value,
       format('ALTER ROLE %I IN DATABASE %I SET %s = %L', current_user, current_database(), name, required) AS statement
     FROM unnest($1::text[], $2::text[]) AS t (name, required)`,
    [required.map(([name]) => name), required.map(([, value]) => value)],
  )
  return rows.filter(({ name, value }) => !REQUIRED[login][name]?.accepted.test(value))
}

/** Sets what the login of a pool of one connection lacks, on a primary: any login may change its own settings. */
export async function setMissingSettings(pool: Pool, login: SessionLogin): Promise<void> {
  const { rows } = await pool.query('SELECT pg_is_in_recovery() AS "isStandby"')
  const missing = rows[0].isStandby ? [] : await readMissingSettings(pool, login)
  if (missing.length === 0) return
  await pool.query([`${BEGIN} READ WRITE`, ...missing.map(({ statement }) => statement), 'COMMIT'].join('; '))
}
