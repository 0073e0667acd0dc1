/** Starts a server to listen, and stops it without dropping a connection that its system has accepted. */
import type { AddressInfo, Server as NetServer } from 'node:net'
import { OperatorError } from '../../db/operator-error'

/** Node's 511 is too few: a client whose connection does not fit waits for seconds before it tries again. */
const BACKLOG = 4_096

/** The host has no such address, or the name has none. */
const HOST_ERRORS = ['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN']

/** The time for which connections from the backlog are still accepted before the listening socket closes. */
const MAX_ACCEPT_MS = 1_000

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
    const wrong = HOST_ERRORS.includes(code ?? '') ? 'HOST' : setting
    throw new OperatorError('CANNOT_LISTEN', `cannot listen on ${hostname}:${port} (${wrong}): ${reason}`)
  }
  return `http://${hostname}:${(server.address() as AddressInfo).port}`
}

/** Accepts the connections of the backlog and closes the listening socket. Open connections stay. */
export async function stopListening(server: NetServer): Promise<void> {
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
  server.close()
}
