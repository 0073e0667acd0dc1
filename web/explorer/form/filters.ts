/** The filters of the network, which all questions have: the values to choose from, and the assets that match. */
import type { Asset, AssetFilter } from '../../../schema/generated'

export const FILTERS = {
  country: 'Country',
  region: 'Region',
  city: 'City',
  format: 'Format',
  mediaType: 'Media type',
  status: 'Status',
} as const satisfies { [Name in keyof AssetFilter]?: string }

export type FilterName = keyof typeof FILTERS

export type ScopeAsset = Pick<Asset, FilterName | 'id' | 'name' | 'finestGrain' | 'measuredFrom' | 'measuredTo'>

/** Returns the assets that match a filter by ids and attributes, whatever a left out filter says. */
export function selectAssets(assets: readonly ScopeAsset[], filter: AssetFilter, leftOut?: string): ScopeAsset[] {
  const names = (['id', ...Object.keys(FILTERS)] as (FilterName | 'id')[]).filter(name => name !== leftOut)
  const given = names.flatMap(name => (filter[name] ? [[name, new Set<string | null>(filter[name])] as const] : []))
  return assets.filter(asset => given.every(([name, values]) => values.has(asset[name])))
}

/** Returns the values of an attribute with their numbers of assets, those with most first. */
export function listValues(assets: readonly ScopeAsset[], name: FilterName): [value: string, count: number][] {
  const counts = new Map<string, number>()
  for (const { [name]: value } of assets) if (value) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].sort(([a, m], [b, n]) => n - m || a.localeCompare(b))
}

const countries = new Intl.DisplayNames('en', { type: 'region' })

/** Returns a value of a filter as people read it. */
export function formatValue(name: string, value: string): string {
  if (name !== 'country') return name === 'city' ? value : value.replaceAll('_', ' ')
  return /^[A-Z]{2}$/.test(value) ? (countries.of(value) ?? value) : value
}
