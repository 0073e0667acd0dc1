/**
 * A crowd, hostile or just too large, in a process of its own and of the lowest priority: elsewhere it would have processors
 * of its own, and its hunger for ours is not what the service is to be measured by. Told how to attack, and from which
 * address, it says when it begins, does so for as long as it is told, then says what it was answered.
 */
import { writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { constants, setPriority } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'

const { url, key, attack, forMs, week, localAddress } = JSON.parse(process.argv[2])

setPriority(constants.priority.PRIORITY_LOW)
try {
  // Linux weighs sessions, of which this is one, against each other.
  writeFileSync('/proc/self/autogroup', String(constants.priority.PRIORITY_LOW))
} catch {
  // Elsewhere it does not, and there is no such file.
}
process.on('disconnect', () => process.exit())

const { port, hostname } = new URL(url)
const told = {}
let end
const count = status => {
  told[status] = (told[status] ?? 0) + 1
}

/** The status of an answer; 0 where its connection was turned away. */
const ask = (path, { agent = false, body, headers } = {}) =>
  new Promise((resolve, reject) => {
    const all = { 'X-API-Key': key, ...(body && { 'Content-Type': 'application/json' }), ...headers }
    const asking = request(new URL(path, url), { agent, localAddress, headers: all, method: body ? 'POST' : 'GET' })
    asking.setTimeout(30_000, () => reject(new Error('left hanging')))
    asking.on('error', error => (/ECONNRESET|EPIPE/.test(error.code) ? resolve(0) : reject(error)))
    asking.on('response', response => {
      response.on('error', () => resolve(0))
      response.on('end', () => resolve(response.statusCode)).resume()
    })
    asking.end(body)
  })

const open = text => {
  const socket = connect({ port: Number(port), host: hostname, localAddress })
  socket.on('error', () => {}).write(text)
  return socket
}

/** Sends something, and counts the answers until the connection ends. */
const send = text =>
  new Promise(resolve => {
    const socket = open(text)
    let rest = ''
    socket.setEncoding('latin1').on('data', chunk => {
      rest += chunk
      for (const [, status] of rest.matchAll(/HTTP\/1\.1 (\d+)/g)) count(status)
      rest = rest.slice(Math.max(rest.lastIndexOf('HTTP/1.1') + 12, rest.length - 12))
    })
    socket.on('close', resolve)
  })

const many = (number, what) => Promise.all(Array.from({ length: number }, (_, i) => what(i)))

const again = async what => {
  while (performance.now() < end) await what()
}

const repeat = (number, part) => Array.from({ length: number }, (_, i) => part(i)).join(' ')

const QUERIES = [
  `{ ${repeat(20_000, () => '__typename')} }`,
  `{ ${repeat(900, i => `a${i}: meta { version }`)} }`,
  `{ ${repeat(90, i => `a${i}: assets(limit: 500) { nodes { id name sensors { id } } }`)} }`,
  `{ ...F0 } ${repeat(60, i => `fragment F${i} on Query { ...F${i + 1} ...F${i + 1} }`)} fragment F60 on Query { __typename }`,
  `{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }`,
  `{ assets { nodes ${'{ sensors { asset '.repeat(300)}{ id }${' } }'.repeat(300)} } }`,
  `{ ${'['.repeat(1_900)}`,
  `{ assets(limit: ${'9'.repeat(10_000)}) { nodes { id } } }`,
  `query (${repeat(600, i => `$v${i}: String`)}) { __typename }`,
  `{ __schema { types { fields { type { ${'ofType { '.repeat(40)}name${' }'.repeat(40)} } } } } }`,
  `{ __schema { types { ${'fields { type { '.repeat(6)}name${' } }'.repeat(6)} } } }`,
].map(query => ({ body: JSON.stringify({ query }) }))

const BODIES = [
  ...QUERIES,
  { body: JSON.stringify({ query: 'query ($v: [ID!]) { __typename }', variables: { v: Array(60_000).fill('x') } }) },
  { body: '['.repeat(250_000) },
  { body: `{"query":"{__typename}","variables":${'{"a":'.repeat(40_000)}1${'}'.repeat(40_000)}}` },
  { body: Buffer.alloc(20 * 1024 * 1024, ' ') },
  { body: gzipSync(Buffer.alloc(200 * 1024 * 1024)), headers: { 'Content-Encoding': 'gzip' } },
]

const ATTACKS = {
  async drops() {
    const heads = [
      'GET /v1/partner/meta HTTP/1.1\r\nX-A: ',
      'GET /',
      `POST /graphql HTTP/1.1\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\nContent-Length: 99999\r\n\r\n{`,
    ]
    const sockets = await many(500, i => open(heads[i % heads.length]).resume())
    await again(async () => {
      for (const socket of sockets) socket.write('a')
      await sleep(50)
    })
    for (const socket of sockets) {
      count(socket.connecting ? 'outside' : socket.closed ? 'cut' : 'open')
      socket.destroy()
    }
  },

  async requests() {
    const agent = new Agent({ keepAlive: true, maxSockets: 900 })
    await many(900, () => again(async () => count(await ask(week, { agent }))))
    agent.destroy()
  },

  async heads() {
    await Promise.all([
      many(50, () => again(() => send(`GET / HTTP/1.1\r\nX-A: ${'a'.repeat(200_000)}\r\n\r\n`))),
      many(50, () => again(() => send(`GET /${'a'.repeat(100_000)} HTTP/1.1\r\n\r\n`))),
    ])
  },

  async pipelines() {
    const requests = `GET /v1/partner/meta HTTP/1.1\r\nX-API-Key: ${key}\r\n\r\n`.repeat(2_000)
    const last = 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n'
    await many(10, () => again(() => send(requests + last)))
  },

  async queries() {
    let number = 0
    // No text comes twice, so that nothing of the last one is of use for the next.
    const anew = ({ body, headers }) => ({
      headers,
      body: String(body).startsWith('{"query":"{') ? body.replace('{"query":"', `{"query":"#${number++}\\n`) : body,
    })
    await Promise.all(BODIES.map(asked => again(async () => count(await ask('/graphql', anew(asked))))))
  },
}

process.send('begun')
end = performance.now() + forMs
await ATTACKS[attack]()
process.send(told, () => process.disconnect())
