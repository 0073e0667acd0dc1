/** Hostile or excessive clients. Each attack runs for a given time and counts the statuses of its responses. */
import { Agent, type OutgoingHttpHeaders, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'

export interface AttackTarget {
  url: string
  /** A valid key with the scope for GraphQL. */
  key: string
  /** A path with a large response. */
  path: string
  /** The address from which the attack comes. */
  localAddress: string
}

/** The number of times that each status was received. `closed` counts connections that ended without a response, `timeout` those that did not. */
export type Statuses = Record<string, number>

const RESPONSE_TIMEOUT_MS = 30_000

class Attack {
  readonly statuses: Statuses = {}
  private readonly end: number

  constructor(
    readonly target: AttackTarget,
    milliseconds: number,
  ) {
    this.end = performance.now() + milliseconds
  }

  count(status: string | number): void {
    this.statuses[status] = (this.statuses[status] ?? 0) + 1
  }

  /** Runs clients in parallel, each of which repeats an action until the attack is over. */
  async run(clients: number, action: (client: number) => Promise<unknown>): Promise<void> {
    await Promise.all(
      Array.from({ length: clients }, async (_, client) => {
        while (performance.now() < this.end) await action(client)
      }),
    )
  }

  open(text: string): Socket {
    const { port, hostname } = new URL(this.target.url)
    const socket = connect({ port: Number(port), host: hostname, localAddress: this.target.localAddress })
    socket.on('error', () => {}).write(text)
    return socket
  }

  /** Sends a text on a new connection, and counts the responses until it closes. */
  exchange(text: string): Promise<void> {
    return new Promise(resolve => {
      const socket = this.open(text)
      let unread = ''
      socket.setEncoding('latin1').on('data', chunk => {
        unread += chunk
        for (const [, status] of unread.matchAll(/HTTP\/1\.1 (\d+)/g)) this.count(status as string)
        // A status line may be split between two chunks.
        unread = unread.slice(Math.max(unread.lastIndexOf('HTTP/1.1') + 12, unread.length - 12))
      })
      socket.on('close', resolve)
    })
  }

  /** Sends a request and counts its response. */
  async fetch(path: string, options: FetchOptions = {}): Promise<void> {
    this.count(await this.fetchStatus(path, options))
  }

  private fetchStatus(path: string, { agent, body, headers }: FetchOptions): Promise<string | number> {
    const { url, key, localAddress } = this.target
    return new Promise(resolve => {
      const sent = request(new URL(path, url), {
        agent: agent ?? false,
        localAddress,
        method: body === undefined ? 'GET' : 'POST',
        headers: { 'X-API-Key': key, ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
      })
      sent.setTimeout(RESPONSE_TIMEOUT_MS, () => {
        resolve('timeout')
        sent.destroy()
      })
      sent.on('error', () => resolve('closed'))
      sent.on('response', response => {
        response.on('error', () => resolve('closed'))
        response.on('end', () => resolve(response.statusCode as number)).resume()
      })
      sent.end(body)
    })
  }
}

interface FetchOptions {
  agent?: Agent
  body?: string | Buffer
  headers?: OutgoingHttpHeaders
}

/** 500 connections that send their requests byte by byte. Counts whether they are open at the end. */
async function slowRequests(attack: Attack): Promise<void> {
  const beginnings = [
    'GET /v1/partner/meta HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: ',
    'GET /',
    `POST /graphql HTTP/1.1\r\nHost: 127.0.0.1\r\nX-API-Key: ${attack.target.key}\r\nContent-Type: application/json\r\nContent-Length: 99999\r\n\r\n{`,
  ]
  const sockets = Array.from({ length: 500 }, (_, i) =>
    attack.open(beginnings[i % beginnings.length] as string).resume(),
  )
  await attack.run(1, async () => {
    for (const socket of sockets) socket.write('a')
    await sleep(50)
  })
  for (const socket of sockets) {
    attack.count(socket.closed ? 'closed' : 'open')
    socket.destroy()
  }
}

/** Large responses on 900 connections at once. */
async function requests(attack: Attack): Promise<void> {
  const agent = new Agent({ keepAlive: true })
  await attack.run(900, () => attack.fetch(attack.target.path, { agent }))
  agent.destroy()
}

async function largeHeads(attack: Attack): Promise<void> {
  const headers = `GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: ${'a'.repeat(200_000)}\r\n\r\n`
  const path = `GET /${'a'.repeat(100_000)} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`
  await attack.run(100, client => attack.exchange(client % 2 ? headers : path))
}

/** 2,000 requests on a connection before the first response. */
async function pipelining(attack: Attack): Promise<void> {
  const text = `GET /v1/partner/meta HTTP/1.1\r\nHost: 127.0.0.1\r\nX-API-Key: ${attack.target.key}\r\n\r\n`.repeat(
    2_000,
  )
  await attack.run(10, () =>
    attack.exchange(`${text}GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`),
  )
}

const repeat = (number: number, part: (i: number) => string): string =>
  Array.from({ length: number }, (_, i) => part(i)).join(' ')

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
]

const BODIES: FetchOptions[] = [
  { body: JSON.stringify({ query: 'query ($v: [ID!]) { __typename }', variables: { v: Array(60_000).fill('x') } }) },
  { body: '['.repeat(250_000) },
  { body: `{"query":"{__typename}","variables":${'{"a":'.repeat(40_000)}1${'}'.repeat(40_000)}}` },
  { body: Buffer.alloc(20 * 1024 * 1024, ' ') },
  { body: gzipSync(Buffer.alloc(200 * 1024 * 1024)), headers: { 'Content-Encoding': 'gzip' } },
]

/** GraphQL queries and bodies that are expensive to parse, validate or execute. */
async function queries(attack: Attack): Promise<void> {
  let number = 0
  // A comment makes each query a new one, which no cache contains.
  const unique = (query: string) => JSON.stringify({ query: `#${number++}\n${query}` })
  const bodies = [...QUERIES.map(query => () => ({ body: unique(query) })), ...BODIES.map(body => () => body)]
  await attack.run(bodies.length, client => attack.fetch('/graphql', bodies[client]?.()))
}

export const ATTACKS = {
  'slow requests': slowRequests,
  requests,
  'large heads': largeHeads,
  pipelining,
  queries,
}

export type AttackName = keyof typeof ATTACKS

export async function runAttack(name: AttackName, target: AttackTarget, milliseconds: number): Promise<Statuses> {
  const attack = new Attack(target, milliseconds)
  await ATTACKS[name](attack)
  return attack.statuses
}
