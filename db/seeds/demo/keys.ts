/** The keys that come with the demo: one of each kind, over its companies. */
import type { IssuedKey, KeyGrant } from '../../api-keys/api-keys'
import { COMPANIES } from './assets'

type Kind = 'partner' | 'two_companies' | 'reseller' | 'legacy' | 'no_company' | 'analyst'

/** A key at its issue: nobody can read `key` again. */
export interface DemoKey {
  kind: Kind
  id: string
  key: string
  label: string
}

interface Grant extends KeyGrant {
  kind: Kind
  label: string
}

const { nordlicht, harborline, southern } = COMPANIES

const grant = (kind: Kind, label: string, companies: Grant['companies'], more: Partial<Grant> = {}): Grant => ({
  kind,
  label: `Demo: ${label}`,
  companies,
  scopes: [],
  reseller: false,
  rate: null,
  ...more,
})

export const GRANTS: readonly Grant[] = [
  ...Object.values(COMPANIES).map(company => grant('partner', company.name, [company.id])),
  grant('two_companies', `${harborline.name} and ${southern.name}`, [harborline.id, southern.id]),
  grant('reseller', `reseller of ${nordlicht.name} and ${harborline.name}`, [nordlicht.id, harborline.id], {
    reseller: true,
  }),
  grant('legacy', `legacy ids of ${nordlicht.name}`, [nordlicht.id], { scopes: ['partner:metrics:legacy:read'] }),
  grant('no_company', 'no company', []),
  grant('analyst', 'analyst of all companies', 'all', { scopes: ['internal:graphql:read'] }),
]

/** The issued keys by their kinds, in the order of GRANTS. */
export const keysOf = (issued: readonly IssuedKey[]): DemoKey[] =>
  GRANTS.map(({ kind, label }, i) => {
    const { id, key } = issued[i] as IssuedKey
    return { kind, id, key, label }
  })
