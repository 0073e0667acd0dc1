/** The assets in scope, from which forms offer assets and places. They are read when a form needs them, once per key. */
import { useEffect, useState } from 'react'
import { readData } from '../graphql-client'
import { useSession } from '../scope-context'

export interface ScopeAsset {
  id: string
  name: string
  city: string | null
  region: string | null
  country: string
  companyId: string
  timeZone: string
  latitude: number
  longitude: number
}

const PAGE = `query ScopeAssets($after: ID) {
  assets(limit: 500, after: $after) { nodes { id name city region country companyId timeZone latitude longitude } hasMore last }
}`

const MAX_ASSETS = 20_000

const cache = new Map<string, Promise<ScopeAsset[]>>()

/** Undefined until the assets have been read. */
export function useScopeAssets(): ScopeAsset[] | undefined {
  const { apiKey } = useSession()
  const [assets, setAssets] = useState<ScopeAsset[]>()
  useEffect(() => {
    let isShown = true
    const reading = cache.get(apiKey) ?? readAssets(apiKey)
    cache.set(apiKey, reading)
    reading.then(
      read => isShown && setAssets(read),
      // Without the list, ids and places can be typed; the next form tries again.
      () => cache.delete(apiKey),
    )
    return () => {
      isShown = false
    }
  }, [apiKey])
  return assets
}

async function readAssets(key: string): Promise<ScopeAsset[]> {
  const found: ScopeAsset[] = []
  let after: string | null = null
  do {
    const { assets }: { assets: { nodes: ScopeAsset[]; hasMore: boolean; last: string | null } } = await readData(key, {
      query: PAGE,
      variables: { after },
    })
    found.push(...assets.nodes)
    after = assets.hasMore ? assets.last : null
  } while (after !== null && found.length < MAX_ASSETS)
  return found
}
