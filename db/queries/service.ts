/** Reads the state that all processes of the service share. */
import type { Pool } from 'pg'

interface ServiceState {
  /** Encrypts cursors: 32 random bytes, created with the database. */
  cursorSecret: Buffer
  /** Whether the demo data set was loaded completely. */
  hasDemo: boolean
  isStandby: boolean
}

export async function readServiceState(owner: Pool): Promise<ServiceState> {
  const { rows } = await owner.query(
    'SELECT cursor_secret AS "cursorSecret", demo_loaded_at IS NOT NULL AS "hasDemo", pg_is_in_recovery() AS "isStandby" FROM service',
  )
  return rows[0]
}
