/** How the page talks to the service: with the key of this tab, which is kept as long as the tab and nowhere else. */

import { type Sample, type SeenAsset, sampleOf } from './sample'

const KEY = 'partner-metrics-key'

export const keptKey = (): string | null => sessionStorage.getItem(KEY)

export const keepKey = (key: string): void => sessionStorage.setItem(KEY, key)

export const forgetKey = (): void => sessionStorage.removeItem(KEY)

export interface Request {
  query: string
  variables?: unknown
  operationName?: string | null | undefined
}

/** The answer of /graphql, whatever it is. */
export async function ask(key: string, { query, variables, operationName }: Request): Promise<Record<string, unknown>> {
  const answer = await fetch('/graphql', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json', 'X-API-Key': key },
    body: JSON.stringify({ query, variables, operationName }),
  })
  return answer.json()
}

/** What a key sees, and an asset of it for the ready queries to start from. */
export interface Sight {
  companies: string[]
  sample: Sample
}

const SIGHT = `query Sight {
  meta { companies { name } }
  assets(limit: 100) { nodes { id country finestGrain measuredFrom measuredTo } }
}`

/** @throws Error with a message for the person who entered the key */
export async function look(key: string): Promise<Sight> {
  const { data, error, errors } = (await ask(key, { query: SIGHT })) as {
    data?: { meta: { companies: { name: string }[] }; assets: { nodes: SeenAsset[] } }
    error?: { code: string; message: string }
    errors?: { message: string }[]
  }
  if (!data) throw new Error(error?.message ?? errors?.[0]?.message ?? 'The service did not answer.')
  return { companies: data.meta.companies.map(({ name }) => name), sample: sampleOf(data.assets.nodes) }
}
