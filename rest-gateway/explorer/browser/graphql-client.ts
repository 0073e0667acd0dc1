/** Requests to /graphql. */
import { chooseDefaults, type MeasuredAsset, type QueryDefaults } from './queries/query-defaults'

export interface GraphqlRequest {
  query: string
  variables?: unknown
  operationName?: string | null | undefined
}

/** Returns the response body, whether it has data or errors. */
export async function execute(
  key: string,
  { query, variables, operationName }: GraphqlRequest,
): Promise<Record<string, unknown>> {
  const response = await fetch('/graphql', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json', 'X-API-Key': key },
    // The editor has an empty name for an operation without one.
    body: JSON.stringify({ query, variables, operationName: operationName || undefined }),
  })
  return (await response.json()) as Record<string, unknown>
}

export interface Company {
  id: string
  name: string
}

/** The scope of a key. */
export interface KeyScope {
  companies: Company[]
  defaults: QueryDefaults
}

const KEY_SCOPE = `query KeyScope {
  meta { companies { id name } }
  assets(limit: 200, sort: { by: measured_to, descending: true }) {
    nodes { id country city finestGrain measuredFrom measuredTo }
  }
}`

/**
 * Returns the data of a query without errors.
 *
 * @throws Error with a message for the user
 */
export async function readData<Data = Record<string, unknown>>(key: string, request: GraphqlRequest): Promise<Data> {
  const { data, error, errors } = (await execute(key, request)) as {
    data?: Data
    error?: { code: string; message: string; details?: { required_scope?: string } }
    errors?: { message: string }[]
  }
  if (error?.code === 'INSUFFICIENT_SCOPE')
    throw new Error(
      `This key works for the REST API, but it lacks the scope ${error.details?.required_scope}, which the explorer needs. ` +
        'Ask whoever issued the key to you for a key with this scope.',
    )
  if (!data || errors) throw new Error(error?.message ?? errors?.[0]?.message ?? 'The service returned no data.')
  return data
}

/** @throws Error with a message for the person who entered the key */
export async function readKeyScope(key: string): Promise<KeyScope> {
  const { meta, assets } = await readData<{ meta: { companies: Company[] }; assets: { nodes: MeasuredAsset[] } }>(key, {
    query: KEY_SCOPE,
  })
  return { companies: meta.companies, defaults: chooseDefaults(assets.nodes) }
}
