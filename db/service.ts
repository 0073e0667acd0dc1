/** What all processes of the service share through the database. */
import type { Pool } from 'pg'

/** The secret that signs cursors: 32 bytes, made with the database. */
export async function readCursorSecret(owner: Pool): Promise<Buffer> {
  const { rows } = await owner.query('SELECT cursor_secret FROM service')
  return rows[0].cursor_secret
}

/** Whether a login is held back by no row-level security: it owns the tables, may act for who does, or is above it all. */
export async function seesAllRows(reader: Pool): Promise<boolean> {
  const { rows } = await reader.query(
    `SELECT rolsuper OR rolbypassrls OR pg_has_role(relowner, 'USAGE') AS all_rows
       FROM pg_roles, pg_class WHERE rolname = current_user AND pg_class.oid = 'assets'::regclass`,
  )
  return rows[0].all_rows
}
