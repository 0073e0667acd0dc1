/** Resolves the companies of the key. */
import { readCompanies } from '../db/queries/companies'
import type { Query } from './context'
import { METHODOLOGY_PATH } from './methodology'

export const meta: Query['meta'] = async (_, __, { reader }) => ({
  version: 'v1',
  methodology: METHODOLOGY_PATH,
  companies: await readCompanies(reader),
})
