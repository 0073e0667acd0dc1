/**
 * The client library of the partner interface: `import { connect } from 'partner-metrics-client'`. Requests are
 * repeated after 429, 503 and lost connections; lists are read page by page, or as one stream.
 */
import createClient, { type Client } from 'openapi-fetch'
import type { paths } from './generated'
import { MetricsError } from './metrics-error'
import { type RetryOptions, retryingFetch } from './retrying-fetch'

export type { components, paths } from './generated'
export { MetricsError } from './metrics-error'

export interface ConnectOptions extends RetryOptions {
  /** The address of the service, such as `https://metrics.example`. */
  url: string
  /** The API key. */
  key: string
}

/** The lists, which are read in pages or as a stream. */
export type List = '/v1/partner/assets' | '/v1/partner/impressions' | '/v1/partner/notes' | '/v1/partner/sensors'

/** The parameters of a list, without those of its pages and formats. */
export type Filters<Path extends List> = Omit<
  NonNullable<paths[Path]['get']['parameters']['query']>,
  'cursor' | 'limit' | 'output'
>

/** An entry of a page of a list. */
export type Entry<Path extends List> =
  paths[Path]['get']['responses'][200]['content']['application/json']['data'][number]

/** A row of a stream: fields of nested objects are joined with `_`, and the elements of lists with blanks. */
export type Row = Record<string, string | number | boolean | null>

export interface Metrics extends Client<paths, 'application/json'> {
  /** Reads the entries of a list page by page. @throws MetricsError */
  entries<Path extends List>(list: Path, filters: Filters<Path>, pageSize?: number): AsyncGenerator<Entry<Path>>
  /** Reads the rows of a list as one stream, which an error ends if it is incomplete. @throws MetricsError */
  rows<Path extends List>(list: Path, filters: Filters<Path>): AsyncGenerator<Row>
}

/** Returns a client of the partner interface. `GET` is that of openapi-fetch, typed by the OpenAPI document. */
export function connect({ url, key, ...options }: ConnectOptions): Metrics {
  const fetch = retryingFetch(options)
  const baseUrl = url.replace(/\/+$/, '')
  const headers = { 'X-API-Key': key }
  const client = createClient<paths, 'application/json'>({ baseUrl, headers, fetch })

  async function read(path: string, query: object): Promise<Response> {
    const parameters = Object.entries(query).filter(([, value]) => value !== undefined && value !== null)
    const address = `${baseUrl}${path}?${new URLSearchParams(parameters.map(([name, value]) => [name, String(value)] as [string, string]))}`
    const response = await fetch(new Request(address, { headers }))
    if (response.ok) return response
    throw MetricsError.from(response.status, await response.json().catch(() => undefined))
  }

  async function* entries<Path extends List>(list: Path, filters: Filters<Path>, pageSize = 500) {
    let cursor: string | null = null
    do {
      const page = (await (await read(list, { ...filters, limit: pageSize, cursor })).json()) as Page<Entry<Path>>
      yield* page.data
      cursor = page.pagination.cursor
    } while (cursor !== null)
  }

  async function* rows<Path extends List>(list: Path, filters: Filters<Path>): AsyncGenerator<Row> {
    const { body } = await read(list, { ...filters, output: 'ndjson' })
    if (body) for await (const line of readLines(body as AsyncIterable<Uint8Array>)) yield JSON.parse(line)
  }

  return Object.assign(client, { entries, rows })
}

interface Page<Each> {
  data: Each[]
  pagination: { cursor: string | null }
}

/** Returns the lines without their line feeds. @throws Error for a stream that ends within a line */
export async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of chunks) {
    text += decoder.decode(chunk, { stream: true })
    const lines = text.split('\n')
    text = lines.pop()!
    yield* lines
  }
  if (text !== '') throw new Error('the response ended within a line')
}
