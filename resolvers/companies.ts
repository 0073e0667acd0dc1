/** Answers who the key reads for. */
import { readCompanies } from '../db/companies'
import type { Query } from './context'

export const meta: Query['meta'] = async (_, __, { door }) => ({
  version: 'v1',
  companies: await readCompanies(door),
})
