/** Issues, rotates, deactivates and lists API keys for the operator. Callers are authenticated by the scoped reader. */
import { createId } from '@paralleldrive/cuid2'
import type { ClientBase, Pool } from 'pg'
import { recordOperation } from '../operations/record'
import { OperatorError } from '../operator-error'
import { findNumbers } from '../references'
import { transact } from '../transaction'
import { type Environment, keyHash, makeKey } from './key-format'
import type { Rate } from './rate'

/** The scopes that a key can have beyond reading its companies. */
export const SCOPES = ['partner:metrics:legacy:read', 'internal:graphql:read'] as const

/** The scope of analysts. Only a key with it can read all companies. */
export const ANALYST_SCOPE = 'internal:graphql:read'

export interface KeyGrant {
  /** Ids or names of companies, or 'all', which requires the scope of analysts. */
  companies: readonly string[] | 'all'
  scopes: readonly string[]
  reseller: boolean
  label: string | null
  /** Null for the default rate. */
  rate: Rate | null
  /** RFC 3339; none for a key that does not expire. */
  expires_at?: string | null
}

/** A key without its text. Instants are RFC 3339 in UTC. */
export interface Key {
  id: string
  label: string | null
  /** By id ascending; empty where all_companies. */
  companies: { id: string; name: string }[]
  all_companies: boolean
  scopes: string[]
  reseller: boolean
  /** Its rate limit; null where the default applies. */
  rate: Rate | null
  environment: Environment
  created_at: string
  deactivated_at: string | null
  /** From when on it is not valid; null where it does not expire. */
  expires_at: string | null
  /** The last day (UTC) of a request with it, as YYYY-MM-DD. */
  last_used_on: string | null
}

/** A new key with its text, which is not stored. */
export type IssuedKey = Key & { key: string }

/** @throws OperatorError UNKNOWN_COMPANY */
export async function issueKey(db: Pool | ClientBase, environment: Environment, grant: KeyGrant): Promise<IssuedKey> {
  const all = grant.companies === 'all'
  const companies = grant.companies === 'all' ? [] : await findNumbers(db, 'companies', grant.companies)
  return insertKey(db, environment, { ...grant, scopes: [...new Set(grant.scopes)], all, companies, replaces: null })
}

interface RotationOptions {
  /** For how many seconds the old key stays valid, unless it expires before. */
  overlap?: number
  /** Receives the new key and the end of the old one before the commit: whatever breaks, its user has a key that works. */
  onIssued?: (issued: IssuedKey, oldKeyExpiresAt: string | null) => Promise<void>
}

/**
 * Issues a key with the attributes of another one and ends that one in the same transaction: it is deactivated, or expires
 * after the overlap. If a key is rotated twice at the same time, the second rotation fails.
 *
 * @throws OperatorError UNKNOWN_KEY, KEY_DEACTIVATED, KEY_EXPIRED, KEY_REPLACED, KEY_OF_OTHER_ENVIRONMENT
 */
export function rotateKey(
  db: Pool,
  environment: Environment,
  id: string,
  { overlap = 0, onIssued }: RotationOptions = {},
): Promise<IssuedKey> {
  return transact(db, LISTED, async client => {
    const { rows } = await client.query(
      `SELECT label, scopes, reseller, ${RATE}, all_companies AS "all", companies, environment, deactivated_at,
           expires_at, expires_at <= now() AS "isExpired"
         FROM api_keys WHERE id = $1 FOR UPDATE`,
      [id],
    )
    const [old] = rows
    if (!old) throw unknownKey(id)
    await refuseReplaced(client, id, old.deactivated_at === null)
    if (old.deactivated_at) throw new OperatorError('KEY_DEACTIVATED', `the key ${id} is deactivated: issue a new one`)
    if (old.environment !== environment) {
      throw new OperatorError('KEY_OF_OTHER_ENVIRONMENT', `the key ${id} belongs to METRICS_ENV=${old.environment}`)
    }
    if (old.isExpired) throw new OperatorError('KEY_EXPIRED', `the key ${id} has expired: issue a new one`)
    const [sql, values] = overlap > 0 ? [END_LATER, [id, overlap]] : [END_NOW, [id]]
    const { rows: ended } = await client.query<{ expires_at: string | null }>(sql, values)
    const issued = await insertKey(client, environment, { ...old, replaces: id })
    await onIssued?.(issued, ended[0]?.expires_at ?? null)
    return { commit: true, result: issued }
  })
}

/** The command that shows what a change of keys has done. */
export const LISTED = 'list keys'

const END_NOW = 'UPDATE api_keys SET deactivated_at = now() WHERE id = $1 RETURNING NULL AS expires_at'

/** `least` ignores null. */
const END_LATER = `
UPDATE api_keys SET expires_at = least(expires_at, now() + make_interval(secs => $2)) WHERE id = $1 RETURNING expires_at`

/** Refuses a key that was rotated before, whether or not its overlap has ended. @throws OperatorError KEY_REPLACED */
async function refuseReplaced(client: ClientBase, id: string, isActive: boolean): Promise<void> {
  const { rows } = await client.query<{ id: string }>('SELECT id FROM api_keys WHERE replaces = $1', [id])
  if (!rows[0]) return
  const remedy = `rotate that one${isActive ? `, or deactivate ${id} to end it now` : ''}`
  throw new OperatorError('KEY_REPLACED', `the key ${id} was already replaced by ${rows[0].id}: ${remedy}`)
}

/**
 * Deactivates a key, unless it is deactivated already.
 *
 * @returns the key, and whether this call deactivated it
 * @throws OperatorError UNKNOWN_KEY
 */
export function deactivateKey(db: Pool, id: string): Promise<Key & { changed: boolean }> {
  return transact(db, LISTED, async client => {
    const { rowCount } = await client.query(
      'UPDATE api_keys SET deactivated_at = now() WHERE id = $1 AND deactivated_at IS NULL',
      [id],
    )
    const changed = rowCount === 1
    if (changed) await recordOperation(client, { command: 'keys deactivate', details: { id } })
    const [key] = await readKeys(client, id)
    if (!key) throw unknownKey(id)
    return { commit: true, result: { ...key, changed } }
  })
}

/** The error does not repeat what may be a key by mistake: the text of a key is longer than an id and has capitals. */
function unknownKey(id: string): OperatorError {
  const isId = /^[a-z0-9]{1,32}$/.test(id)
  const reason = isId ? `there is no key with the id "${id}"` : 'this is not the id of a key'
  return new OperatorError('UNKNOWN_KEY', `${reason} (\`partner-metrics list keys\` shows all)`)
}

/**
 * Returns the id of the key with this hash.
 *
 * @throws OperatorError UNKNOWN_KEY
 */
export async function findKeyId(db: Pool | ClientBase, hash: Buffer): Promise<string> {
  const { rows } = await db.query<{ id: string }>('SELECT id FROM api_keys WHERE hash = $1', [hash])
  if (!rows[0]) throw new OperatorError('UNKNOWN_KEY', 'the key is well-formed, but was never issued here')
  return rows[0].id
}

/** A key with the keys before and after it by rotation, and its last call of the legacy interface. */
type KeyDetails = Key & {
  replaces: string | null
  replaced_by: string | null
  last_legacy_call_at: string | null
}

/** @throws OperatorError UNKNOWN_KEY */
export async function readKeyDetails(db: Pool | ClientBase, id: string): Promise<KeyDetails> {
  const [key] = await readKeys(db, id)
  if (!key) throw unknownKey(id)
  const { rows } = await db.query(
    `SELECT replaces, (SELECT next.id FROM api_keys next WHERE next.replaces = k.id) AS replaced_by,
            (SELECT max(last_called_at) FROM legacy_calls WHERE api_key = k.id) AS last_legacy_call_at
       FROM api_keys k WHERE id = $1`,
    [id],
  )
  return { ...key, ...rows[0] }
}

/** SQL: the rate limit of a key; null where the default applies. */
const RATE = `CASE WHEN rate_requests IS NOT NULL
  THEN json_build_object('requests', rate_requests, 'seconds', rate_seconds) END AS rate`

/** Returns all keys, or the one with this id, oldest first. */
export async function readKeys(db: Pool | ClientBase, id?: string): Promise<Key[]> {
  const { rows } = await db.query(
    `SELECT k.id, k.label, k.all_companies, k.scopes, k.reseller, ${RATE}, k.environment, k.created_at, k.deactivated_at,
            k.expires_at, k.last_used_on,
            (SELECT coalesce(json_agg(json_build_object('id', c.id, 'name', c.name) ORDER BY c.id), '[]')
               FROM companies c WHERE c.number = ANY (k.companies)) AS companies
       FROM api_keys k WHERE $1::text IS NULL OR k.id = $1 ORDER BY k.created_at, k.id`,
    [id ?? null],
  )
  return rows
}

interface NewKey {
  label: string | null
  scopes: readonly string[]
  reseller: boolean
  rate: Rate | null
  all: boolean
  /** Their numbers. */
  companies: readonly number[]
  expires_at?: string | null
  replaces: string | null
}

async function insertKey(db: Pool | ClientBase, environment: Environment, key: NewKey): Promise<IssuedKey> {
  const id = createId()
  const text = makeKey(environment)
  const { label, scopes, all, reseller, companies, replaces, rate, expires_at = null } = key
  const command = replaces === null ? 'keys issue' : 'keys rotate'
  await db.query(INSERT, [
    ...[id, keyHash(text), environment, label, scopes, reseller, all, companies, replaces],
    ...[rate?.requests ?? null, rate?.seconds ?? null, expires_at],
  ])
  const [issued] = await readKeys(db, id)
  const named = all ? 'all' : issued!.companies.map(company => company.id)
  await recordOperation(db, { command, details: { id, label, scopes, companies: named, replaces, expires_at } })
  return { ...issued!, key: text }
}

const INSERT = `
INSERT INTO api_keys (id, hash, environment, label, scopes, reseller, all_companies, companies, replaces, rate_requests, rate_seconds,
  expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`
