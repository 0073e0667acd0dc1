/** Requests to /graphql. */

import { findErrors, type ResponseBody, type ResponseError } from './errors/response-errors'
import { chooseDefaults, type MeasuredAsset, type QueryDefaults } from './queries/query-defaults'

export interface GraphqlRequest {
  query: string
  variables?: unknown
  operationName?: string | null | undefined
}

interface GraphqlResponse {
  /** Undefined if there was no response. */
  status: number | undefined
  body: ResponseBody
}

/** Returns the response, whether it has data or errors, or an error of the same form if there is none. */
export async function execute(
  key: string,
  { query, variables, operationName }: GraphqlRequest,
  signal?: AbortSignal,
): Promise<GraphqlResponse> {
  let status: number | undefined
  try {
    const response = await fetch('/graphql', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json', 'X-API-Key': key },
      body: JSON.stringify({ query, variables, operationName }),
      ...(signal && { signal }),
    })
    status = response.status
    return { status, body: (await response.json()) as ResponseBody }
  } catch {
    const failure =
      status === undefined ? 'The service cannot be reached' : `The response (status ${status}) is not JSON`
    return { status, body: { errors: [{ message: `${failure}. Check the connection, and try again.` }] } }
  }
}

/** An error of a request that the page itself made. */
export class RequestError extends Error {
  constructor(
    readonly status: number | undefined,
    readonly error: ResponseError,
  ) {
    super(error.message)
  }

  /** Whether the key is to blame, rather than the moment. */
  get isOfKey(): boolean {
    return this.status === 401 || this.status === 403
  }
}

interface Company {
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
 * @throws RequestError with a message for the user
 */
export async function readData<Data = Record<string, unknown>>(key: string, request: GraphqlRequest): Promise<Data> {
  const { status, body } = await execute(key, request)
  const [error] = findErrors(body)
  if (error?.code === 'INSUFFICIENT_SCOPE') {
    const message =
      `This key works for the REST API, but it lacks the scope ${body.error?.details?.required_scope}, which the explorer needs. ` +
      'Ask whoever issued the key to you for a key with this scope.'
    throw new RequestError(status, { ...error, message })
  }
  if (!body.data || error) throw new RequestError(status, error ?? { message: 'The service returned no data.' })
  return body.data as Data
}

/** @throws RequestError with a message for the person who entered the key */
export async function readKeyScope(key: string): Promise<KeyScope> {
  const { meta, assets } = await readData<{ meta: { companies: Company[] }; assets: { nodes: MeasuredAsset[] } }>(key, {
    query: KEY_SCOPE,
  })
  return { companies: meta.companies, defaults: chooseDefaults(assets.nodes) }
}
