/** Reads companies. */
import { type Door, SCOPE, type Statement } from './connection'

export interface CompanyRow {
  id: string
  name: string
}

const COMPANIES: Statement = {
  name: 'companies',
  text: `SELECT id, name FROM companies WHERE number = ANY (${SCOPE}) ORDER BY id`,
}

/** The companies that the key reads, by ascending id. */
export function readCompanies(door: Door): Promise<CompanyRow[]> {
  return door.read(COMPANIES)
}
