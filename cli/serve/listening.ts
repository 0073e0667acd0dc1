/** Takes a port, lets a server listen on it, and stops it without dropping a request that it has accepted. */
import { once } from 'node:events'
import type { Server } from 'node:http'
import { type AddressInfo, createServer, Server as NetServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { OperatorError } from '../../db/operator-error'

/** Node's 511 is too few: a client whose connection does not fit waits for seconds before it tries again. */
const BACKLOG = 4_096

/** Connections that wait for the end of the start at a time. */
const MAX_WAITING = 1_000

/** The host has no such address, or the name has none. */
const HOST_ERRORS = ['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN']

/** The time for which connections from the backlog are still accepted before the listening socket closes. */
const MAX_ACCEPT_MS = 1_000

/** The timeout of idle connections at shutdown, since requests may be on their way. */
const IDLE_MS = 300

const CHECK_INTERVAL_MS = 20

/** A port on which connections wait until a server listens on it: behind a proxy no request fails during a restart. */
export interface TakenPort {
  /** `http://HOST:PORT` */
  url: string
  /** Lets a server listen in its place. */
  pass(server: Server): Promise<void>
  /** Ends connections that no server has. */
  close(): void
}

/**
 * Takes a port.
 *
 * @param port 0 picks a free one
 * @param setting the name of the setting that the port comes from
 * @throws OperatorError CANNOT_LISTEN
 */
export async function takePort(host: string, port: number, setting: string): Promise<TakenPort> {
  const waiting = new Set<Socket>()
  const server = createServer({ pauseOnConnect: true }, socket => {
    waiting.add(socket)
    socket.on('error', () => {}).once('close', () => waiting.delete(socket))
  })
  server.maxConnections = MAX_WAITING
  const hostname = host.includes(':') ? `[${host}]` : host
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen({ host, port, backlog: BACKLOG }, resolve)
    })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const reason = code === 'EADDRINUSE' ? 'it is in use' : message
    const wrong = HOST_ERRORS.includes(code ?? '') ? 'HOST' : setting
    throw new OperatorError('CANNOT_LISTEN', `cannot listen on ${hostname}:${port} (${wrong}): ${reason}`)
  }
  return {
    url: `http://${hostname}:${(server.address() as AddressInfo).port}`,
    async pass(next) {
      await once(next.listen(server, BACKLOG), 'listening')
      for (const socket of waiting) {
        next.emit('connection', socket)
        socket.resume()
      }
      waiting.clear()
    },
    close() {
      server.close()
      for (const socket of waiting) socket.destroy()
    },
  }
}

/**
 * Accepts the connections of the backlog and closes the listening socket, then the connections as they become idle, and
 * after the timeout all of them.
 */
export async function close(server: Server, timeoutMs: number): Promise<void> {
  let isClosed = !server.listening
  if (!isClosed) await acceptBacklog(server)
  // The method of the HTTP server would close idle connections at once.
  NetServer.prototype.close.call(server, () => {
    isClosed = true
  })
  const start = performance.now()
  while (!isClosed) {
    const ms = performance.now() - start
    if (ms >= timeoutMs) server.closeAllConnections()
    else if (ms >= IDLE_MS) server.closeIdleConnections()
    await sleep(CHECK_INTERVAL_MS)
  }
}

async function acceptBacklog(server: Server): Promise<void> {
  const deadline = performance.now() + MAX_ACCEPT_MS
  let iterations = 0
  const onConnection = () => {
    iterations = 0
  }
  server.on('connection', onConnection)
  // Node accepts one connection in each iteration of the event loop.
  while (iterations++ < 2 && performance.now() < deadline) await new Promise(setImmediate)
  server.off('connection', onConnection)
}
