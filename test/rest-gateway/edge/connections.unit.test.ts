import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ConnectionLimits, Connections } from '../../../rest-gateway/edge/connections'
import { Proxies } from '../../../rest-gateway/edge/proxies'

const HERE = '127.0.0.1'
/** On Linux the whole of 127/8 is the loopback device. */
const ELSEWHERE = '127.0.0.2'

/** More than the buffers of a connection have room for. */
const LARGE = Buffer.alloc(20_000_000)

let server: Server
/** Responses to /wait, which are not sent. */
let waiting: ServerResponse[]

afterEach(() => {
  server.closeAllConnections()
  server.close()
})

async function protect(limits: Partial<ConnectionLimits>): Promise<void> {
  const connections = new Connections({
    maxConnections: 100,
    maxConnectionsPerAddress: 100,
    proxies: new Proxies([]),
    ...limits,
  })
  waiting = []
  // Idle connections stay open, however slow the machine is.
  server = createServer({ keepAliveTimeout: 60_000 })
  connections.protect(server, (request, response) => {
    if (request.url === '/key') connections.authenticate(request.socket)
    if (request.url === '/wait') waiting.push(response)
    else response.end(request.url === '/large' ? LARGE : '')
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
    this.closed = once(accepted, 'close')
  }

  static async open(localAddress = HERE): Promise<Client> {
    const { port } = server.address() as AddressInfo
    const socket = connect({ port, host: HERE, localAddress })
    const [accepted] = await once(server, 'connection')
    return new Client(socket, accepted as Socket)
  }

  /** Reads nothing any more. */
  pause(): void {
    this.socket.pause()
  }

  send(text: string): void {
    this.socket.write(text)
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
  waiting: () => begin(Client.open(), 'GET /wait HTTP/1.1\r\nHost: x\r\n\r\n'),
  unread: () => begin(Client.open(), 'GET /large HTTP/1.1\r\nHost: x\r\n\r\n'),
  head: () => begin(Client.open(), 'GET / HTTP/1.1\r\nX-A: '),
  body: () => begin(Client.open(), 'POST /wait HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{'),
  'unread with key': () => begin(openWith('/key'), 'GET /large HTTP/1.1\r\nHost: x\r\n\r\n'),
}

const begin = async (opening: Promise<Client>, text: string): Promise<Client> => {
  const client = await opening
  client.pause()
  await client.write(text)
  return client
}

test.each([
  ['the oldest connection without a request in progress', ['idle', 'head', 'new'], 'idle'],
  ['one on which no complete head arrives', ['waiting', 'head'], 'head'],
  ['one whose body is still on its way', ['waiting', 'body'], 'body'],
  ['one whose client does not read its response', ['waiting', 'unread'], 'unread'],
  ['one whose client presented no valid key', ['key', 'idle'], 'idle'],
  ['one whose client presented a key, if there is no other', ['unread with key', 'key'], 'key'],
] as const)('when full, a new connection takes the place of %s', async (_, kinds, dropped) => {
  await protect({ maxConnections: kinds.length })
  const clients = []
  for (const kind of kinds) clients.push(await OPENED[kind]())
  const newcomer = await openWith('/')
  await clients[(kinds as readonly string[]).indexOf(dropped)]?.closed
  expect([...clients, newcomer].map(({ isOpen }) => isOpen)).toEqual([...kinds.map(kind => kind !== dropped), true])
})

const test127 = process.platform === 'linux' ? test : test.skip

test127('connections beyond the limit of an address take the place of others of this address only', async () => {
  await protect({ maxConnectionsPerAddress: 2 })
  const other = await Client.open(ELSEWHERE)
  const [first, second] = [await Client.open(), await Client.open()]
  const third = await Client.open()
  await first.closed
  expect([other, second, third].map(({ isOpen }) => isOpen)).toEqual([true, true, true])
})

test('a trusted proxy has no limit per address', async () => {
  await protect({ maxConnectionsPerAddress: 1, proxies: new Proxies([HERE]) })
  const clients = [await openWith('/key'), await Client.open(), await openWith('/')]
  expect(clients.every(({ isOpen }) => isOpen)).toBe(true)
})

test('where all connections have requests in progress, a new one is closed; one that closed makes room', async () => {
  await protect({ maxConnections: 1, maxConnectionsPerAddress: 1 })
  const client = await Client.open()
  const response = client.get('/wait')
  while (waiting.length === 0) await sleep(1)
  await (await Client.open()).closed
  waiting[0]?.end()
  expect(await response).toBe(200)
  server.closeIdleConnections()
  await client.closed
  await openWith('/key')
})

test('a client that sends more than 32 requests before it reads a response is cut off', async () => {
  await protect({})
  const client = await Client.open()
  await client.write('GET /wait HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(32))
  while (waiting.length < 32) await sleep(1)
  expect(client.isOpen).toBe(true)
  client.send('GET /wait HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(100))
  await client.closed
  expect(waiting).toHaveLength(32)
})
