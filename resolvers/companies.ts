/** Resolves the companies of the key. */
import { readCompanies } from '../db/queries/companies'
import type { Query } from './context'

export const meta: Query['meta'] = async (_, __, { reader }) => ({
  version: 'v1',
  companies: await readCompanies(reader),
})
