/** What the database knows of the demo: whether it was loaded, what would be in its way, and which of its sensors stand where. */
import type { ClientBase, Pool } from 'pg'
import { DEMO_LOCK } from '../../advisory-locks'
import { type IssuedKey, issueKey, type KeyGrant } from '../../api-keys/api-keys'
import type { Environment } from '../../api-keys/key-format'

type Db = Pool | ClientBase

/** Waits, up to a minute, until nobody else loads the demo; the lock ends with the connection. False when it took longer. */
export async function holdDemo(db: ClientBase): Promise<boolean> {
  await db.query(`SELECT set_config('lock_timeout', '60s', false)`)
  try {
    await db.query('SELECT pg_advisory_lock($1)', [DEMO_LOCK])
    return true
  } catch (error) {
    if ((error as { code?: string }).code === '55P03') return false
    throw error
  }
}

/** Whether the demo was loaded to its end. */
export async function isDemoLoaded(db: Db): Promise<boolean> {
  const { rows } = await db.query('SELECT demo_loaded_at IS NOT NULL AS loaded FROM service')
  return rows[0].loaded
}

/** Tells that the demo is loaded to its end and issues its keys, in one transaction; the keys come in the order of the grants. */
export async function completeDemo(
  db: ClientBase,
  environment: Environment,
  grants: readonly KeyGrant[],
): Promise<IssuedKey[]> {
  await db.query('BEGIN')
  const keys: IssuedKey[] = []
  for (const grant of grants) keys.push(await issueKey(db, environment, grant))
  await db.query('UPDATE service SET demo_loaded_at = now()')
  await db.query('COMMIT')
  return keys
}

/** Whether there is any company besides these (ids). */
export async function hasOtherCompanies(db: Db, ids: readonly string[]): Promise<boolean> {
  const { rows } = await db.query('SELECT EXISTS (SELECT FROM companies WHERE NOT id = ANY ($1)) AS others', [ids])
  return rows[0].others
}

/** The identifiers of rows that one wants to bring, by what else must be theirs alone. */
export interface Claims {
  companies: Map<string, string>
  vendors: Map<string, string>
  /** By legacy id. */
  assets: Map<string, string>
  /** By serial. */
  sensors: Map<string, string>
}

/** What is taken already by a row of another id, in words (`the company "X"`). */
export async function findClashes(db: Db, claims: Claims): Promise<string[]> {
  const { rows } = await db.query(
    `WITH taken AS (
       SELECT 'the company' AS noun, name AS key, id FROM companies WHERE name = ANY ($1)
       UNION ALL SELECT 'the vendor', name, id FROM vendors WHERE name = ANY ($2)
       UNION ALL SELECT 'the legacy id', legacy_id::text, id FROM assets WHERE legacy_id = ANY ($3::integer[])
       UNION ALL SELECT 'the serial', serial, id FROM sensors WHERE serial = ANY ($4))
     SELECT noun || ' "' || key || '"' AS clash FROM taken WHERE NOT id = ANY ($5) ORDER BY clash`,
    [
      ...Object.values(claims).map(claimed => [...claimed.keys()]),
      Object.values(claims).flatMap(claimed => [...claimed.values()]),
    ],
  )
  return rows.map(row => row.clash)
}

/** Sensors whose id begins with `prefix`, and since when (seconds since 1970) they stand where they stand, if they do. */
export async function readSensors(
  db: Db,
  prefix: string,
): Promise<{ id: string; serial: string; standing: boolean; since: number | null }[]> {
  const { rows } = await db.query(
    `SELECT id, serial, asset IS NOT NULL AND removed_at IS NULL AS standing,
            extract(epoch FROM installed_at)::double precision AS since
       FROM sensors WHERE starts_with(id, $1)`,
    [prefix],
  )
  return rows
}
