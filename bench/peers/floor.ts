/**
 * The floor: the cost of node:http and pg, with as little as possible besides: no framework, and no header that HTTP does not need.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { keyHash } from '../../db/api-keys/key-format'
import { type Input, InvalidParameter, OPERATIONS, type Operation } from './operations'
import { announce, read } from './peer'

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const key = request.headers['x-api-key']
  const [path, search] = request.url!.split('?', 2) as [string, string?]
  const found = find(path)
  if (typeof key !== 'string' || !found) return void response.writeHead(typeof key !== 'string' ? 401 : 404).end()
  const input: Input = { id: found.id, query: Object.fromEntries(new URLSearchParams(search)) }
  const result = await read(found.operation, input, keyHash(key))
  if (!result) return void response.writeHead(404).end()
  const body = JSON.stringify(result)
  response.writeHead(200, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
  })
  response.end(body)
}

const OF_ASSET = new Map(
  OPERATIONS.filter(({ path }) => path.includes(':id')).map(each => [each.path.split(':id')[1], each]),
)

const WITHOUT_ASSET = new Map(OPERATIONS.filter(({ path }) => !path.includes(':id')).map(each => [each.path, each]))

function find(path: string): { operation: Operation; id: string } | undefined {
  const operation = WITHOUT_ASSET.get(path)
  if (operation) return { operation, id: '' }
  const [, id, suffix] = /^\/v1\/partner\/assets\/([^/]+)(.*)$/.exec(path) ?? []
  const ofAsset = id === undefined ? undefined : OF_ASSET.get(suffix!)
  return ofAsset && { operation: ofAsset, id: id! }
}

const server = createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
  answer(request, response).catch(error => response.writeHead(error instanceof InvalidParameter ? 400 : 500).end())
}).listen(0, '127.0.0.1', () => announce((server.address() as AddressInfo).port))
