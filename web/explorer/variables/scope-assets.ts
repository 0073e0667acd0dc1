/** The assets in scope, from which forms offer assets and places. They are read when a form needs them, once per key. */
import { useEffect, useState } from 'react'
import type { ResponseError } from '../errors/response-errors'
import { type RequestError, readData } from '../graphql-client'
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

interface ScopeAssets {
  /** Undefined until they have been read. */
  assets?: ScopeAsset[]
  /** Why they could not be read. */
  error?: ResponseError
}

/** @param isNeeded false for a component that does not show them at the moment */
export function useScopeAssets(isNeeded = true): ScopeAssets {
  const { apiKey } = useSession()
  const [found, setFound] = useState<ScopeAssets>({})
  useEffect(() => {
    if (!isNeeded) return
    let isShown = true
    const reading = cache.get(apiKey) ?? readAssets(apiKey)
    cache.set(apiKey, reading)
    reading.then(
      assets => isShown && setFound({ assets }),
      ({ error }: RequestError) => {
        // Without the list, ids and places can be typed; the next form tries again.
        cache.delete(apiKey)
        if (isShown) setFound({ error })
      },
    )
    return () => {
      isShown = false
    }
  }, [apiKey, isNeeded])
  return found
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
