/** The API keys of the demo. */
import type { KeyGrant } from '../../api-keys/api-keys'
import { COMPANIES } from './assets'

const [ids, [first, second, third]] = [COMPANIES.map(({ id }) => id), COMPANIES.map(({ name }) => name)]

export const GRANTS = [
  ...COMPANIES.map(({ id, name }) => grant('partner', name, [id])),
  grant('two_companies', `${second} and ${third}`, ids.slice(1)),
  grant('reseller', `reseller of ${first} and ${second}`, ids.slice(0, 2), { reseller: true }),
  grant('legacy', `legacy ids of ${first}`, ids.slice(0, 1), { scopes: ['partner:metrics:legacy:read'] }),
  grant('no_company', 'no company', []),
  grant('analyst', 'analyst of all companies', 'all', { scopes: ['internal:graphql:read'] }),
]

function grant(kind: string, label: string, companies: KeyGrant['companies'], options: Partial<KeyGrant> = {}) {
  return { companies, scopes: [], reseller: false, rate: null, ...options, kind, label: `Demo: ${label}` }
}
