/** Resolves what a key is, and its companies. */
import { formatRate } from '../db/api-keys/rate'
import { readCompanies } from '../db/queries/companies'
import type { Query } from './context'
import { METHODOLOGY_PATH } from './methodology'

export const meta: Query['meta'] = async (_, __, { reader, service }) => {
  const [companies, { label, scopes, rate, expires_at }] = await Promise.all([readCompanies(reader), reader.readKey()])
  return {
    version: 'v1',
    methodology: METHODOLOGY_PATH,
    companies,
    key: {
      label,
      environment: service.environment,
      scopes,
      rate: formatRate(rate ?? service.rates.defaultRate),
      expiresAt: expires_at,
    },
  }
}
