import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Connection, Rank } from '../../../rest-gateway/admission/connection'
import { ConnectionGuard, type ConnectionLimits } from '../../../rest-gateway/admission/connection-guard'
import { Proxies } from '../../../rest-gateway/admission/proxies'

const HERE = '127.0.0.1'
/** On Linux the whole of 127/8 is the loopback device. */
const ELSEWHERE = '127.0.0.2'

let server: Server
/** Responses to /wait, which are not sent. */
let waiting: ServerResponse[]

afterEach(() => {
  server.closeAllConnections()
  server.close()
})

async function protect(limits: Partial<ConnectionLimits>): Promise<void> {
  const guard = new ConnectionGuard({
    maxConnections: 100,
    maxConnectionsPerAddress: 100,
    proxies: new Proxies([]),
    ...limits,
  })
  waiting = []
  // Idle connections stay open, however slow the machine is.
  server = createServer({ keepAliveTimeout: 60_000 })
  guard.protect(server, (request, response) => {
    if (guard.refuses(request)) return void response.writeHead(503, { Connection: 'close' }).end()
    if (request.url === '/key') guard.authenticate(request.socket)
    if (request.url === '/wait') waiting.push(response)
    else response.end()
  })
  await once(server.listen(0, HERE), 'listening')
}

/** Both ends of a connection. */
class Client {
  received = ''
  readonly closed: Promise<unknown>

  private constructor(
    private readonly socket: Socket,
    private readonly accepted: Socket,
  ) {
    socket.setEncoding('latin1').on('data', text => (this.received += text))
    socket.on('error', () => {})
    this.closed = once(socket, 'close')
  }

  static async open(localAddress = HERE): Promise<Client> {
    const { port } = server.address() as AddressInfo
    const socket = connect({ port, host: HERE, localAddress })
    const [accepted] = await once(server, 'connection')
    return new Client(socket, accepted as Socket)
  }

  /** Sends a part of a request and waits until it has arrived. */
  async write(text: string): Promise<void> {
    const expected = this.accepted.bytesRead + text.length
    this.socket.write(text)
    while (this.accepted.bytesRead < expected) await sleep(1)
  }

  /** Returns the status of the response. */
  async get(path: string): Promise<number> {
    this.received = ''
    this.socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
    while (!this.received.includes('\r\n\r\n') && !this.socket.closed) await sleep(1)
    return Number(this.received.slice(9, 12))
  }

  get isOpen(): boolean {
    return !this.accepted.destroyed
  }
}

const openWith = async (path: string, localAddress?: string): Promise<Client> => {
  const client = await Client.open(localAddress)
  expect(await client.get(path)).toBe(200)
  return client
}

/** Connections after what is sent on them: `idle` and `key` after a response, the others in the midst of a request. */
const OPENED = {
  idle: () => openWith('/'),
  key: () => openWith('/key'),
  new: () => Client.open(),
  head: () => begin(Client.open(), 'GET / HTTP/1.1\r\nX-A: '),
  body: () => begin(Client.open(), 'POST /wait HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{'),
  'head with key': () => begin(openWith('/key'), 'GET / HTTP/1.1\r\nX-A: '),
}

const begin = async (opening: Promise<Client>, text: string): Promise<Client> => {
  const client = await opening
  await client.write(text)
  return client
}

test.each([
  ['the oldest connection without a complete request', ['idle', 'head', 'new'], 'head'],
  ['one whose body is still on its way', ['idle', 'body'], 'body'],
  ['an idle one whose client presented no valid key', ['key', 'idle'], 'idle'],
  ['one whose client presented a key and does not finish its next request', ['head with key', 'key'], 'head with key'],
] as const)('when full, a new connection takes the place of %s', async (_, kinds, dropped) => {
  await protect({ maxConnections: kinds.length })
  const clients = []
  for (const kind of kinds) clients.push(await OPENED[kind]())
  const newcomer = await openWith('/')
  await clients[(kinds as readonly string[]).indexOf(dropped)]?.closed
  expect([...clients, newcomer].map(({ isOpen }) => isOpen)).toEqual([...kinds.map(kind => kind !== dropped), true])
})

test('a connection that waits for a response is not dropped', async () => {
  await protect({ maxConnections: 1 })
  const client = await Client.open()
  const response = client.get('/wait')
  while (waiting.length === 0) await sleep(1)
  await Client.open()
  waiting[0]?.end()
  expect(await response).toBe(200)
})

test.each([
  ['a client without a key', false, Rank.Sending, Rank.Stalled, 30],
  ['a client with a key', true, Rank.Protected, Rank.StalledAuthenticated, 60],
])(
  'a response that %s does not read is stalled after 5 checks, and closed after more',
  (_, hasKey, sending, stalled, max) => {
    const socket = { bytesRead: 9, bytesWritten: 1_000, writableLength: 600, destroy: jest.fn() }
    const connection = new Connection(socket as unknown as Socket, HERE, false)
    connection.isAuthenticated = hasKey
    connection.handle(() => {}, { complete: true } as never, { once() {} } as never)
    const check = (times: number) => {
      for (let i = 0; i < times; i++) connection.checkProgress()
      return connection.rank
    }
    expect([check(5), check(1)]).toEqual([sending, stalled])
    socket.writableLength = 500
    expect([check(1), check(max - 1)]).toEqual([sending, stalled])
    expect(socket.destroy).not.toHaveBeenCalled()
    check(1)
    expect(socket.destroy).toHaveBeenCalled()
  },
)

test('where no connection can be dropped, a reserve of 16 lets health checks through and refuses all else', async () => {
  await protect({ maxConnections: 2 })
  const authenticated = [await openWith('/key'), await openWith('/key')]
  const more = []
  for (let i = 0; i < 16; i++) more.push(await Client.open())
  const last = await Client.open()
  // The newest takes the oldest one's place.
  await more[0]?.closed
  expect(await last.get('/')).toBe(503)
  await last.closed
  expect([...authenticated, ...more.slice(1)].every(({ isOpen }) => isOpen)).toBe(true)
  expect(await authenticated[0]?.get('/')).toBe(200)
})

const test127 = process.platform === 'linux' ? test : test.skip

test127('connections beyond the limit of an address displace others of this address only', async () => {
  await protect({ maxConnectionsPerAddress: 2 })
  const other = await Client.open(ELSEWHERE)
  const [first, second] = [await Client.open(), await Client.open()]
  const third = await Client.open()
  await first.closed
  expect([other, second, third].map(({ isOpen }) => isOpen)).toEqual([true, true, true])
})

test127('a client that holds all connections of its address gets no more, while others do', async () => {
  await protect({ maxConnectionsPerAddress: 2 })
  await openWith('/key')
  await openWith('/key')
  const third = await Client.open()
  expect(await third.get('/')).toBe(503)
  await openWith('/', ELSEWHERE)
})

test('a trusted proxy has no limit per address', async () => {
  await protect({ maxConnectionsPerAddress: 1, proxies: new Proxies([HERE]) })
  const clients = [await openWith('/key'), await Client.open(), await openWith('/')]
  expect(clients.every(({ isOpen }) => isOpen)).toBe(true)
})

test127('1,000 unfinished heads from one address close no connection of a client, and lock nobody out', async () => {
  await protect({ maxConnections: 100, maxConnectionsPerAddress: 50 })
  const clients = [await openWith('/key', ELSEWHERE), await openWith('/key')]
  for (let i = 0; i < 1_000; i++) await OPENED.head()
  for (const client of [...clients, await Client.open(ELSEWHERE), await Client.open()])
    expect(await client.get('/')).toBe(200)
})

test('closed connections make room', async () => {
  await protect({ maxConnections: 2, maxConnectionsPerAddress: 2 })
  for (let i = 0; i < 10; i++) {
    const client = await Client.open()
    expect(await client.get('/key')).toBe(200)
    server.closeIdleConnections()
    await client.closed
  }
})

describe('requests that are sent before earlier ones are answered', () => {
  test('are handled one after the other, and not any more when the client is gone', async () => {
    await protect({})
    const client = await Client.open()
    await client.write('GET /wait HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(3))
    for (let i = 0; i < 2; i++) {
      while (waiting.length <= i) await sleep(1)
      expect(waiting).toHaveLength(i + 1)
      if (i === 0) waiting[i]?.end()
    }
    server.closeAllConnections()
    await client.closed
    waiting[1]?.end()
    await new Promise(setImmediate)
    expect(waiting).toHaveLength(2)
  })

  test('are refused after the 32nd, and the connection is closed', async () => {
    await protect({})
    const client = await Client.open()
    void client.get('/wait')
    while (waiting.length === 0) await sleep(1)
    await client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(100))
    waiting[0]?.end()
    await client.closed
    const statuses = [...client.received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status))
    expect(statuses).toEqual([...Array(32).fill(200), 503])
  })
})
