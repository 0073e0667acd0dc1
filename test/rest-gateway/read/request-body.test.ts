import { gzipSync } from 'node:zlib'
import { sendRaw } from '../../support/http'
import { World } from '../../support/world'

let world: World
let key: string

beforeAll(async () => {
  world = await World.open()
  key = await world.make.key([await world.make.company()], { scopes: ['internal:graphql:read'] })
})
afterAll(() => world.stop())

const GARBAGE = Buffer.alloc(1_000_000, 'no JSON ')
const CHUNKED = Buffer.concat([
  Buffer.from(`${GARBAGE.length.toString(16)}\r\n`),
  GARBAGE,
  Buffer.from('\r\n0\r\n\r\n'),
])

describe.each([
  ['with a Content-Encoding', ['Content-Encoding: gzip'], GARBAGE],
  ['with a Content-Encoding, sent in chunks', ['Content-Encoding: gzip', 'chunked'], CHUNKED],
  ['that is too large', [], GARBAGE],
  ['that is too large, sent in chunks', ['chunked'], CHUNKED],
])('after a body %s', (_, headers, body) => {
  test.each([
    ['without a key', () => undefined, 401],
    ['with a key', () => key, 400],
  ])('%s, the next request on the connection is answered', async (_, keyOf, status) => {
    const framing = headers.includes('chunked') ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`
    const lines = ['POST /graphql HTTP/1.1', 'Host: x', 'Content-Type: application/json', framing, ...headers]
    const presented = keyOf()
    if (presented) lines.push(`X-API-Key: ${presented}`)
    const head = [...lines.filter(line => line !== 'chunked'), '', ''].join('\r\n')
    const next = 'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
    const text = await sendRaw(world.url, Buffer.concat([Buffer.from(head), body, Buffer.from(next)]), false)
    expect(statusesIn(text)).toEqual([status, 200])
  })
})

test('a compressed body is refused with what to send instead', async () => {
  const response = await fetch(`${world.url}/graphql`, {
    method: 'POST',
    headers: { 'X-API-Key': key, 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' },
    body: gzipSync('{ "query": "{ __typename }" }'),
  })
  const message = 'The body must be sent without a Content-Encoding.'
  expect(await response.json()).toMatchObject({ error: { code: 'BAD_REQUEST', message } })
})

const statusesIn = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status))
