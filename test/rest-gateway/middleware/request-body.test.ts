import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { Service } from '../../support/service'

let service: Service
let key: string

beforeAll(async () => {
  service = await Service.start()
  key = await service.make.key([await service.make.company()], { scopes: ['internal:graphql:read'] })
})
afterAll(() => service.stop())

const GARBAGE = Buffer.alloc(300_000, 'not compressed ')
const ZEROS = gzipSync(Buffer.alloc(50_000_000))
const CHUNKED = Buffer.concat([
  Buffer.from(`${GARBAGE.length.toString(16)}\r\n`),
  GARBAGE,
  Buffer.from('\r\n0\r\n\r\n'),
])

describe.each([
  ['that is not what its Content-Encoding states', ['Content-Encoding: gzip'], GARBAGE],
  ['that is not what its Content-Encoding states, sent in chunks', ['Content-Encoding: gzip', 'chunked'], CHUNKED],
  ['with an unknown Content-Encoding', ['Content-Encoding: compress'], GARBAGE],
  ['that is too large', [], GARBAGE],
  ['that is too large, sent in chunks', ['chunked'], CHUNKED],
  ['that is too large once it is decompressed', ['Content-Encoding: gzip'], ZEROS],
])('after a body %s', (_, headers, body) => {
  test.each([
    ['without a key', () => undefined, 401],
    ['with a key', () => key, 400],
  ])('%s, the next request on the connection is answered', async (_, keyOf, status) => {
    const { port, hostname } = new URL(service.url)
    const socket = connect(Number(port), hostname)
    const framing = headers.includes('chunked') ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`
    const lines = ['POST /graphql HTTP/1.1', 'Host: x', 'Content-Type: application/json', framing]
    const presented = keyOf()
    if (presented) lines.push(`X-API-Key: ${presented}`)
    socket.write([...lines, ...headers.filter(header => header !== 'chunked'), '', ''].join('\r\n'))
    socket.write(body)
    socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    expect(await statusesOn(socket)).toEqual([status, 200])
  })
})

/** Returns the statuses of all responses on a connection, until it is closed. */
async function statusesOn(socket: Socket): Promise<number[]> {
  let text = ''
  socket.setEncoding('latin1').on('data', chunk => (text += chunk))
  while (!socket.closed) await sleep(1)
  return [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status))
}
