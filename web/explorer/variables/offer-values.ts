/** The values that the form offers for a variable. */
import { useMemo } from 'react'
import { useSession } from '../scope-context'
import type { LocationField, Variable } from './describe-variables'
import type { Offer } from './picker'
import { type ScopeAsset, useScopeAssets } from './scope-assets'

/** Returns the values in scope, or those of an enum; undefined until they have been read. */
export function useOffers({ kind, values }: Variable): Offer[] | undefined {
  const { companies } = useSession()
  const { assets } = useScopeAssets()
  return useMemo(() => {
    if (kind === 'enum') return values.map(value => ({ value, label: value, detail: '' }))
    const names = new Map(companies.map(({ id, name }) => [id, name]))
    const offers =
      kind === 'company'
        ? companies.map(({ id, name }) => ({ value: id, label: name, detail: '' }))
        : kind === 'asset'
          ? assets?.map(({ id, name, city, country, companyId }) => ({
              value: id,
              label: name,
              detail: [city, country, names.get(companyId)].filter(Boolean).join(', '),
            }))
          : assets && countAssets(assets, kind as LocationField)
    return offers?.sort((a, b) => a.label.localeCompare(b.label))
  }, [kind, values, companies, assets])
}

/** Returns the countries, regions or cities in which there are assets, with their number. */
function countAssets(assets: ScopeAsset[], field: LocationField): Offer[] {
  const counts = new Map<string, number>()
  for (const { [field]: name } of assets) if (name) counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts].map(([value, count]) => ({
    value,
    label: value,
    detail: count === 1 ? '1 asset' : `${count} assets`,
  }))
}
