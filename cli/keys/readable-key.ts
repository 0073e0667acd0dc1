/** API keys as people read them. */
import type { Key } from '../../db/api-keys/api-keys'
import { formatRate } from '../../db/api-keys/rate'

export const DEFAULT_RATE = 'the default'

/** Returns a key with the names of its companies and its rate as texts. */
export const readableKey = <Shown extends Pick<Key, 'all_companies' | 'companies' | 'rate'>>({
  all_companies,
  ...key
}: Shown) => ({
  ...key,
  companies: all_companies ? ['all'] : key.companies.map(({ name }) => name),
  rate: key.rate ? formatRate(key.rate) : DEFAULT_RATE,
})
