/** Reads companies. */
import { inScope, type ScopedReader, type Statement } from '../postgres/scoped-reader'

export interface CompanyRow {
  id: string
  name: string
  finalThrough: string | null
}

const COMPANIES: Statement = {
  name: 'companies',
  text: `SELECT id, name, final_through AS "finalThrough" FROM companies WHERE ${inScope('number')} ORDER BY id`,
}

/** Returns the companies in scope, by ascending id. */
export function readCompanies(reader: ScopedReader): Promise<CompanyRow[]> {
  return reader.read(COMPANIES)
}
