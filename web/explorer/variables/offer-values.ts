/** The values that the form offers for a variable. */
import { useMemo } from 'react'
import { useSession } from '../scope-context'
import type { Place, Variable } from './describe-variables'
import type { Option } from './picker'
import type { ScopeAsset } from './scope-assets'
import { useScopeAssets } from './scope-assets'

const compare = (a: Option, b: Option): number => a.label.localeCompare(b.label)

/** Returns the options of a variable whose values are those in scope, or of an enum; undefined until they have been read. */
export function useOptions({ kind, values }: Variable): Option[] | undefined {
  const { companies } = useSession()
  const { assets } = useScopeAssets()
  return useMemo(() => {
    if (kind === 'enum') return values.map(value => ({ value, label: value, detail: '' }))
    if (kind === 'company')
      return companies.map(({ id, name }) => ({ value: id, label: name, detail: '' })).sort(compare)
    if (!assets) return undefined
    if (kind !== 'asset') return listPlaces(assets, kind as Place)
    const names = new Map(companies.map(({ id, name }) => [id, name]))
    return assets
      .map(({ id, name, city, country, companyId }) => ({
        value: id,
        label: name,
        detail: [city, country, names.get(companyId)].filter(Boolean).join(', '),
      }))
      .sort(compare)
  }, [kind, values, companies, assets])
}

/** Returns the places of a kind in which there are assets, with their number. */
function listPlaces(assets: ScopeAsset[], kind: Place): Option[] {
  const counts = new Map<string, number>()
  for (const asset of assets) {
    const place = asset[kind]
    if (place) counts.set(place, (counts.get(place) ?? 0) + 1)
  }
  const options = [...counts].map(([value, count]) => ({
    value,
    label: value,
    detail: count === 1 ? '1 asset' : `${count} assets`,
  }))
  return options.sort(compare)
}
