/** Requests to /graphql, and what the key can read. */
import type { ScopeAsset } from './form/filters'
import { daysBefore, type Range } from './form/ranges'

export interface GraphqlRequest {
  query: string
  variables?: Record<string, unknown> | undefined
  operationName?: string | null | undefined
}

export interface ResponseBody {
  data?: unknown
  error?: { code: string; message: string; details?: { required_scope?: string } }
  errors?: { message: string; extensions?: { code?: string } }[]
}

export interface ResponseError {
  /** A code that /docs/errors describes; the page's own errors have none. */
  code?: string | undefined
  message: string
}

/** An error of a request that the page itself made. */
export class RequestError extends Error {
  /** @param isOfKey whether the key is to blame, rather than the moment */
  constructor(
    message: string,
    readonly isOfKey: boolean,
  ) {
    super(message)
  }
}

/** Longer than the service lets a query run. */
const TIMEOUT_MS = 120_000

/** Returns the response, whether it has data or errors, or without a status an error of the same form if there is none. */
export async function execute(
  key: string,
  request: GraphqlRequest,
  signal?: AbortSignal,
): Promise<{ status: number | undefined; body: ResponseBody }> {
  let status: number | undefined
  try {
    const response = await fetch('/graphql', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json', 'X-API-Key': key },
      body: JSON.stringify(request),
      signal: AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), ...(signal ? [signal] : [])]),
    })
    status = response.status
    return { status, body: (await response.json()) as ResponseBody }
  } catch {
    const failure =
      status === undefined ? 'The service cannot be reached' : `The response (status ${status}) is not JSON`
    return { status, body: { errors: [{ message: `${failure}. Check the connection, and try again.` }] } }
  }
}

export const findErrors = ({ error, errors = [] }: ResponseBody): ResponseError[] => [
  ...(error ? [error] : []),
  ...errors.map(({ message, extensions }) => ({ message, code: extensions?.code })),
]

/** @throws RequestError with a message for the person who entered the key */
async function read<Data>(key: string, request: GraphqlRequest): Promise<Data> {
  const { status, body } = await execute(key, request)
  const [error] = findErrors(body)
  if (body.data && !error) return body.data as Data
  const scope = body.error?.details?.required_scope
  const remedy = scope ? ` The explorer needs a key with the scope ${scope}: ask whoever issued yours to you.` : ''
  const message = error?.message ?? 'The service returned no data.'
  throw new RequestError(message + remedy, status === 401 || status === 403)
}

export interface Scope {
  companies: string[]
  assets: ScopeAsset[]
  /** The first and the last day with data that is over. */
  measured: Range
}

interface ScopePage {
  meta: { companies: { name: string }[] }
  assets: { nodes: ScopeAsset[]; hasMore: boolean; last: string | null }
}

const QUERY = `query Scope($after: ID) {
  meta { companies { name } }
  assets(limit: 500, after: $after) {
    nodes { id name country region city format mediaType status finestGrain measuredFrom measuredTo }
    hasMore
    last
  }
}`

const MAX_ASSETS = 20_000

/** Returns what a key can read. @throws RequestError with a message for the person who entered the key */
export async function readScope(key: string): Promise<Scope> {
  const assets: ScopeAsset[] = []
  let companies: string[] = []
  let after: string | null = null
  do {
    const page: ScopePage = await read(key, { query: QUERY, variables: { after } })
    assets.push(...page.assets.nodes)
    companies = page.meta.companies.map(({ name }) => name)
    after = page.assets.hasMore ? page.assets.last : null
  } while (after !== null && assets.length < MAX_ASSETS)
  return { companies, assets, measured: findMeasured(assets, new Date().toISOString().slice(0, 10)) }
}

/** Returns the days with data of all assets together; without any, the day before today. */
export function findMeasured(assets: readonly ScopeAsset[], today: string): Range {
  const yesterday = daysBefore(today, 1)
  const last =
    assets
      .flatMap(({ measuredTo }) => measuredTo ?? [])
      .sort()
      .at(-1) ?? yesterday
  const to = last < yesterday ? last : yesterday
  const first = assets.flatMap(({ measuredFrom }) => measuredFrom ?? []).sort()[0] ?? to
  return { from: first < to ? first : to, to }
}
