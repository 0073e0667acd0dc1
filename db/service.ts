/** What all processes of the service share through the database. */
import type { Pool } from 'pg'

/** The secret that signs cursors: 32 bytes, made with the database. */
export async function readCursorSecret(owner: Pool): Promise<Buffer> {
  const { rows } = await owner.query('SELECT cursor_secret FROM service')
  return rows[0].cursor_secret
}
