/** What all processes of the service share through the database. */
import type { Pool } from 'pg'

export interface ServiceState {
  /** Signs cursors: 32 bytes, made with the database. */
  cursorSecret: Buffer
  /** Whether the demo was loaded to its end. */
  hasDemo: boolean
}

export async function readServiceState(owner: Pool): Promise<ServiceState> {
  const { rows } = await owner.query(
    'SELECT cursor_secret AS "cursorSecret", demo_loaded_at IS NOT NULL AS "hasDemo" FROM service',
  )
  return rows[0]
}
