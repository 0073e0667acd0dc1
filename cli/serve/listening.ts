/** Starts an HTTP server to listen, and stops it without dropping a request that it accepted. */
import type { Server } from 'node:http'
import { type AddressInfo, createServer, Server as NetServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { OperatorError } from '../../db/operator-error'

/** Node's 511 is too few: a client whose connection does not fit waits for seconds before it tries again. */
const BACKLOG = 4_096

/** How long to go on accepting connections from the backlog before the listening socket closes. */
const MAX_ACCEPT_MS = 1_000

/** How long idle connections stay open, since requests may be on their way. */
const IDLE_MS = 300

const CHECK_INTERVAL_MS = 20

/**
 * Listens, and returns the URL `http://HOST:PORT`.
 *
 * @param port 0 picks a free one
 * @param setting the name of the setting that the port comes from
 * @throws OperatorError CANNOT_LISTEN
 */
export async function listen(server: NetServer, host: string, port: number, setting: string): Promise<string> {
  const hostname = host.includes(':') ? `[${host}]` : host
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen({ host, port, backlog: BACKLOG }, resolve)
    })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const reason = code === 'EADDRINUSE' ? 'it is in use' : message
    throw new OperatorError('CANNOT_LISTEN', `cannot listen on ${hostname}:${port} (${setting}): ${reason}`)
  }
  return `http://${hostname}:${(server.address() as AddressInfo).port}`
}

/** A port that is free at the moment. */
export async function findFreePort(host: string): Promise<number> {
  const server = createServer()
  const url = await listen(server, host, 0, 'PORT')
  await promisify(server.close.bind(server))()
  return Number(new URL(url).port)
}

/** Accepts the connections of the backlog and closes the listening socket. Open connections stay. */
export async function stopListening(server: Server): Promise<void> {
  if (!server.listening) return
  const deadline = performance.now() + MAX_ACCEPT_MS
  let iterations = 0
  const onConnection = () => {
    iterations = 0
  }
  server.on('connection', onConnection)
  // Node accepts one connection in each iteration of the event loop.
  while (iterations++ < 2 && performance.now() < deadline) await new Promise(setImmediate)
  server.off('connection', onConnection)
  // The HTTP server's own close would also close idle connections, on which requests may be on their way.
  NetServer.prototype.close.call(server)
}

/** Closes the connections as they become idle, and after the timeout all of them. */
export async function finishRequests(server: Server, timeoutMs: number): Promise<void> {
  const countConnections = promisify(server.getConnections.bind(server))
  const start = performance.now()
  while ((await countConnections()) > 0) {
    const ms = performance.now() - start
    if (ms >= timeoutMs) server.closeAllConnections()
    else if (ms >= IDLE_MS) server.closeIdleConnections()
    await sleep(CHECK_INTERVAL_MS)
  }
}

/** Stops listening and finishes the accepted requests. Those that take longer than the timeout are cut off. */
export async function closeServer(server: Server, timeoutMs: number): Promise<void> {
  await stopListening(server)
  await finishRequests(server, timeoutMs)
}
