/**
 * The floor: the cost of node:http and pg, with as little as possible besides. Each request runs one prepared statement,
 * which also looks up the key and its scope. There is no framework and no header that HTTP does not need; the JSON of a
 * series is concatenated from the unpacked bytes.
 */
import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { keyHash } from '../../db/api-keys/key-format'
import { average } from '../../resolvers/series/ratios'
import type { Range } from './bodies'
import { coverageOf, fillBuckets, type Grain, type MeasurementRow } from './buckets'
import { grainOf, type Input, InvalidParameter, OPERATIONS, type Operation, rangeOf } from './operations'
import { openPeer, serve } from './peer'
import { SCOPE_OF_KEY } from './statements'

const { pool, cursors } = openPeer()

/** SQL by statement name. */
const texts = new Map<string, string>()

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const key = request.headers['x-api-key']
  const [path, search] = request.url!.split('?', 2) as [string, string?]
  const found = find(path)
  if (typeof key !== 'string' || !found) return void response.writeHead(typeof key !== 'string' ? 401 : 404).end()
  const input: Input = { id: found.id, query: Object.fromEntries(new URLSearchParams(search)) }
  const { name, text } = found.operation.statement(input)
  const sql = texts.get(name) ?? text(SCOPE_OF_KEY)
  texts.set(name, sql)
  const { rows } = await pool.query({
    name,
    text: sql,
    values: [keyHash(key), ...found.operation.values(input, cursors)],
  })
  const body = bodyOf(found.operation, rows as never[], input)
  if (body === undefined) return void response.writeHead(404).end()
  const headers: Record<string, string> = {}
  // A tag costs a hash of the body: only conditional requests get one.
  if (request.headers['if-none-match'] !== undefined) {
    headers.ETag = `"${createHash('sha1').update(body).digest('base64url')}"`
    if (request.headers['if-none-match'] === headers.ETag) return void response.writeHead(304, headers).end()
  }
  send(response, body, headers)
}

function send(response: ServerResponse, body: string, headers: Record<string, string | number>): void {
  headers['Content-Type'] = 'application/json; charset=utf-8'
  headers['Content-Length'] = Buffer.byteLength(body)
  response.writeHead(200, headers).end(body)
}

function bodyOf(operation: Operation, rows: never[], input: Input): string | undefined {
  if (rows.length > 0 && operation.name === 'timeseries') return series(rows, rangeOf(input), grainOf(input))
  if (rows.length > 0 && operation.name === 'hourly') return series(rows, rangeOf(input), 60)
  const body = operation.body(rows, input, cursors)
  return body && JSON.stringify(body)
}

function series(rows: MeasurementRow[], { from, to }: Range, grain: Grain): string {
  const buckets = fillBuckets(rows, from, to, grain)
  const { names, sums, observed, total, withData } = buckets
  let text = '{"data":['
  for (let i = 0; i < names.length; i++) {
    const count = observed[i] === 0 ? 'null' : sums[i]
    text += `${i === 0 ? '' : ','}{"start":"${names[i]}","impressions":${count},"coverage":${coverageOf(buckets, i)}}`
  }
  return `${text}],"total":${total},"average":${average(total, withData)}}`
}

const OF_ASSET = new Map(
  OPERATIONS.filter(({ path }) => path.includes(':id')).map(each => [each.path.split(':id')[1], each]),
)

const WITHOUT_ASSET = new Map(OPERATIONS.filter(({ path }) => !path.includes(':id')).map(each => [each.path, each]))

function find(path: string): { operation: Operation; id: string } | undefined {
  const operation = WITHOUT_ASSET.get(path)
  if (operation) return { operation, id: '' }
  const [, id, suffix] = /^\/v1\/(?:partner|metrics)\/assets\/([^/]+)(.*)$/.exec(path) ?? []
  const ofAsset = id === undefined ? undefined : OF_ASSET.get(suffix!)
  return ofAsset && { operation: ofAsset, id: id! }
}

void serve(
  createServer((request, response) => {
    answer(request, response).catch(error => response.writeHead(error instanceof InvalidParameter ? 400 : 500).end())
  }),
)
