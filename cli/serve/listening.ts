/** How a server begins to listen, and how it ends without dropping what it has accepted. */
import type { Server } from 'node:http'
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { OperatorError } from '../../db/operator-error'

/** A request may be on its way on a connection that looks idle: none is closed before so long. */
const QUIET_MS = 300

/** So long at most those who have connected are accepted when the service ends. */
const LONGEST_QUEUE_MS = 1_000

/** Connections that may wait to be accepted: of a crowd beyond Node's 511 each would try again only after seconds. */
const BACKLOG = 4_096

/**
 * Listens, and tells where: `http://HOST:PORT`.
 *
 * @param port 0 picks one
 * @param setting the name of the setting that the port comes from
 * @throws OperatorFault when the address cannot be had
 */
export async function listen(server: NetServer, host: string, port: number, setting: string): Promise<string> {
  const place = host.includes(':') ? `[${host}]` : host
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen({ host, port, backlog: BACKLOG }, resolve)
    })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const reason = code === 'EADDRINUSE' ? 'it is in use' : message
    throw new OperatorError('CANNOT_LISTEN', `cannot listen on ${place}:${port} (${setting}): ${reason}`)
  }
  return `http://${place}:${(server.address() as AddressInfo).port}`
}

/** Accepts nothing more and finishes what was accepted; what then takes longer than `patienceMs` is cut. */
export async function closeServer(server: Server, patienceMs: number): Promise<void> {
  if (!server.listening) return
  await emptyQueue(server)
  // Node's own close of an HTTP server would cut what is idle at once.
  await finish(server, new Promise(resolve => NetServer.prototype.close.call(server, () => resolve())), patienceMs)
}

/**
 * Waits until nobody waits to be accepted, or has waited for long enough: closing would cut them, and Node accepts but one
 * in each turn of its loop.
 */
export async function emptyQueue(server: NetServer): Promise<void> {
  const until = performance.now() + LONGEST_QUEUE_MS
  let turnsWithout = 0
  const onConnection = () => {
    turnsWithout = 0
  }
  server.on('connection', onConnection)
  while (turnsWithout < 2 && performance.now() < until) {
    turnsWithout++
    await new Promise(setImmediate)
  }
  server.off('connection', onConnection)
}

/** A server that does not listen: its connections are handed to it. */
export class HandedServer {
  private readonly open = new Set<Socket>()
  private onLeft = () => {}

  constructor(
    private readonly server: Server,
    private readonly maxConnections: number,
  ) {
    // Node looks for connections that are overdue, or idle, only from then on.
    server.emit('listening')
  }

  take(socket: Socket): void {
    if (this.open.size >= this.maxConnections) {
      this.server.emit('drop')
      return void socket.destroy()
    }
    this.open.add(socket)
    socket.once('close', () => {
      this.open.delete(socket)
      if (this.open.size === 0) this.onLeft()
    })
    this.server.emit('connection', socket)
    socket.resume()
  }

  /** Finishes what was handed; what then takes longer than `patienceMs` is cut. */
  async close(patienceMs: number): Promise<void> {
    if (this.open.size === 0) return
    const left = new Promise<void>(resolve => {
      this.onLeft = resolve
    })
    await finish(this.server, left, patienceMs)
  }
}

/** Ends the connections of a server as they become idle, until it is closed. */
async function finish(server: Server, closed: Promise<void>, patienceMs: number): Promise<void> {
  const cutting = setTimeout(() => server.closeAllConnections(), patienceMs)
  await Promise.race([closed, sleep(QUIET_MS)])
  const sweeping = setInterval(() => server.closeIdleConnections(), 20)
  await closed
  clearInterval(sweeping)
  clearTimeout(cutting)
}
