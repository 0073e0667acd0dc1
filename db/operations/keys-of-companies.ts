/** Takes companies that are deleted from API keys. A key that loses its last company is deactivated. */
import type { ClientBase } from 'pg'

export interface AffectedKey {
  id: string
  label: string | null
  /** Whether it is active, and is deactivated because it loses its last company. */
  deactivated: boolean
}

/** Returns the keys that lose a company, in the order of their issue. Keys of all companies lose none. */
export async function readAffectedKeys(client: ClientBase, companies: readonly number[]): Promise<AffectedKey[]> {
  const { rows } = await client.query<AffectedKey>(
    `SELECT id, label, deactivated_at IS NULL AND companies <@ $1::integer[] AS deactivated FROM api_keys
     WHERE NOT all_companies AND companies && $1::integer[] ORDER BY created_at, id`,
    [companies],
  )
  return rows
}

/** Waits until keys that are being issued are visible, and lets nobody issue one before the end of the transaction. */
export async function lockKeys(client: ClientBase): Promise<void> {
  await client.query('LOCK TABLE api_keys IN SHARE ROW EXCLUSIVE MODE')
}

export async function removeFromKeys(client: ClientBase, companies: readonly number[]): Promise<void> {
  await client.query(
    `UPDATE api_keys SET companies = ARRAY(SELECT unnest(companies) EXCEPT SELECT unnest($1::integer[]) ORDER BY 1),
       deactivated_at = CASE WHEN companies <@ $1::integer[] AND NOT all_companies
         THEN coalesce(deactivated_at, now()) ELSE deactivated_at END
     WHERE companies && $1::integer[]`,
    [companies],
  )
}
