/** Reads companies. */
import { inScope, type ScopedReader } from '../postgres/scoped-reader'
import { readRows } from './statements'

export interface CompanyRow {
  id: string
  name: string
  finalThrough: string | null
}

const COMPANIES = `SELECT id, name, final_through AS "finalThrough" FROM companies WHERE ${inScope('number')} ORDER BY id`

/** Returns the companies in scope, by ascending id. */
export const readCompanies = (reader: ScopedReader): Promise<CompanyRow[]> =>
  readRows(reader, 'companies', () => COMPANIES)
