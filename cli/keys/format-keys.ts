/** API keys as text. */
import type { Key, KeyDetails } from '../../db/api-keys/api-keys'
import { formatRate } from '../../db/api-keys/rate'
import { printableLine } from '../text/printable'

/** Returns one line for each attribute of a key, before its times. */
export const grantLines = (key: Key): string[] => [
  `id           ${key.id}`,
  `environment  ${key.environment}`,
  `companies    ${printableLine(companyNames(key).join(', ')) || 'none'}`,
  `scopes       ${[key.scopes.join(', ') || 'none', ...(key.reseller ? ['reseller'] : [])].join(', ')}`,
  `rate         ${key.rate ? formatRate(key.rate) : 'the default'}`,
  `expires      ${key.expires_at ?? 'no'}`,
  `label        ${printableLine(key.label ?? 'none')}`,
]

/** Returns all attributes of a key. */
export const detailLines = (key: KeyDetails): string[] => [
  ...grantLines(key),
  `created      ${key.created_at}`,
  `last used    ${key.last_used_on ?? 'never'}`,
  `deactivated  ${key.deactivated_at ?? 'no'}`,
  `replaces     ${key.replaces ?? 'none'}`,
  `replaced by  ${key.replaced_by ?? 'none'}`,
  `legacy call  ${key.last_legacy_call_at ?? 'none'}`,
]

/** Returns the names of the companies whose data a key can read. */
export const companyNames = (key: Pick<Key, 'all_companies' | 'companies'>): string[] =>
  key.all_companies ? ['all'] : key.companies.map(company => company.name)
