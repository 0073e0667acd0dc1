/** The statements with which the batches of a scoped reader begin. Each returns a row with the key, if it is valid. */
import type { Rate } from '../api-keys/rate'
import type { Statement } from './batch'

/** A valid key. */
export interface PresentedKey {
  id: string
  label: string | null
  scopes: string[]
  reseller: boolean
  all_companies: boolean
  /** Its rate limit; null where the default applies. */
  rate: Rate | null
  /** From when on it is not valid, in RFC 3339; null where it does not expire. */
  expires_at: string | null
}

/** SQL: bounds each further statement of the transaction, in milliseconds. */
const limitStatements = (parameter: string) => `set_config('statement_timeout', ${parameter}, true) IS NOT NULL`

/** Stores the hash of a key and the numbers of its companies in the transaction, and sets the statement timeout `$2`. */
export const AUTHENTICATE_KEY: Statement = {
  name: 'authenticate-key',
  text: `SELECT authenticate_key($1) AS key WHERE ${limitStatements('$2')}`,
}

/** SQL: whether the server is the primary, or has replayed a position. */
const IS_CURRENT = `(NOT pg_is_in_recovery() OR pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0') >= $2)`

/**
 * The same where reads are spread over hosts, with the timeout `$3`. A replica that has not replayed the position `$2`
 * authenticates no key, so that the batch reads nothing; nor does any replica without a position.
 */
export const AUTHENTICATE_ON_HOST: Statement = {
  name: 'authenticate-on-host',
  text: `SELECT CASE WHEN ${IS_CURRENT} THEN authenticate_key($1) END AS key, ${IS_CURRENT} AS "isCurrent",
  NOT pg_is_in_recovery() AS "isPrimary"
WHERE ${limitStatements('$3')}`,
}
