/**
 * The floor: what node:http and pg cost, and as little as possible besides. One prepared statement a request, in which the
 * key is looked up and the scope worked out; no framework, no headers beyond what HTTP needs; the text of a series is
 * written by hand, straight from the unpacked bytes.
 */
import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { keyHash } from '../../db/api-keys/key-format'
import { average } from '../../resolvers/ratios'
import type { Range } from './answers'
import { bucketsOf, coverageOf, type Grain, type MeasurementRow } from './buckets'
import { nested } from './nested'
import { type Asked, grainOf, OPERATIONS, type Operation, rangeOf, Wrong } from './operations'
import { openPeer, serve } from './peer'
import { SCOPE_OF_KEY } from './statements'

const { pool, cursors } = openPeer()

/** The text of a statement by its name, made once. */
const texts = new Map<string, string>()

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const key = request.headers['x-api-key']
  if (request.method === 'POST' && typeof key === 'string') {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece)
    return send(response, await nested(pool, keyHash(key), Buffer.concat(pieces).toString()), {})
  }
  const [path, search] = (request.url as string).split('?', 2) as [string, string?]
  const found = find(path)
  if (typeof key !== 'string' || !found) return void response.writeHead(typeof key !== 'string' ? 401 : 404).end()
  const asked: Asked = { id: found.id, query: Object.fromEntries(new URLSearchParams(search)) }
  const { name, text } = found.operation.statement(asked)
  let known = texts.get(name)
  if (known === undefined) {
    known = text(SCOPE_OF_KEY)
    texts.set(name, known)
  }
  const { rows } = await pool.query({
    name,
    text: known,
    values: [keyHash(key), ...found.operation.values(asked, cursors)],
  })
  const body = bodyOf(found.operation, rows as never[], asked)
  if (body === undefined) return void response.writeHead(404).end()
  const headers: Record<string, string> = {}
  // Only who asks conditionally pays for a tag.
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

function bodyOf(operation: Operation, rows: never[], asked: Asked): string | undefined {
  if (rows.length > 0 && operation.name === 'timeseries') return series(rows, rangeOf(asked), grainOf(asked))
  if (rows.length > 0 && operation.name === 'hourly') return series(rows, rangeOf(asked), 60)
  const body = operation.answer(rows, asked, cursors)
  return body && JSON.stringify(body)
}

function series(rows: MeasurementRow[], { from, to }: Range, grain: Grain): string {
  const buckets = bucketsOf(rows, from, to, grain)
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

const PLAIN = new Map(OPERATIONS.filter(({ path }) => !path.includes(':id')).map(each => [each.path, each]))

function find(path: string): { operation: Operation; id: string } | undefined {
  const plain = PLAIN.get(path)
  if (plain) return { operation: plain, id: '' }
  const [, id, rest] = /^\/v1\/(?:partner|metrics)\/assets\/([^/]+)(.*)$/.exec(path) ?? []
  const operation = id === undefined ? undefined : OF_ASSET.get(rest as string)
  return operation && { operation, id: id as string }
}

void serve(
  createServer((request, response) => {
    answer(request, response).catch(error => response.writeHead(error instanceof Wrong ? 400 : 500).end())
  }),
)
