/**
 * The listening socket of the service. It opens before all else: while the service starts, connections wait instead of being
 * refused.
 */
import type { Server } from 'node:http'
import { createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Settings } from '../settings'
import { listen, stopListening } from './listening'

/** The longest wait of a connection. */
const MAX_WAIT_MS = 60_000

/** The timeout of idle connections at shutdown, since requests may be on their way. */
const IDLE_MS = 300

const CHECK_INTERVAL_MS = 20

export class Listener {
  /** As Node's HTTP server sets it for connections that it accepts itself. */
  private readonly server = createServer({ allowHalfOpen: true, pauseOnConnect: true, noDelay: true })
  private readonly waiting = new Set<Socket>()
  private gateway: Server | undefined

  private constructor(private readonly maxWaiting: number) {
    this.server.on('connection', socket => (this.gateway ? this.serve(socket) : this.keepWaiting(socket)))
  }

  /** @throws OperatorError CANNOT_LISTEN */
  static async open({ host, port, maxConnections }: Settings): Promise<{ listener: Listener; url: string }> {
    const listener = new Listener(maxConnections)
    return { listener, url: await listen(listener.server, host, port, 'PORT') }
  }

  get isListening(): boolean {
    return this.server.listening
  }

  /** Passes the connections that wait, and all further ones, to an HTTP server that does not listen itself. */
  passTo(gateway: Server): void {
    this.gateway = gateway
    // From this event on, the server watches how long its connections take to send a request.
    gateway.emit('listening')
    for (const socket of this.waiting) this.serve(socket)
    this.waiting.clear()
  }

  /** Closes the listening socket, then the connections as they become idle, and after the timeout all of them. */
  async close(timeoutMs: number): Promise<void> {
    let isClosed = !this.isListening
    this.server.once('close', () => {
      isClosed = true
    })
    await stopListening(this.server)
    const start = performance.now()
    while (!isClosed) {
      const ms = performance.now() - start
      if (ms >= timeoutMs) this.gateway?.closeAllConnections()
      else if (ms >= IDLE_MS) this.gateway?.closeIdleConnections()
      await sleep(CHECK_INTERVAL_MS)
    }
  }

  private serve(socket: Socket): void {
    socket.setTimeout(0)
    this.gateway?.emit('connection', socket)
    socket.resume()
  }

  private keepWaiting(socket: Socket): void {
    if (this.waiting.size >= this.maxWaiting) return void socket.destroy()
    this.waiting.add(socket)
    socket.setTimeout(MAX_WAIT_MS, () => socket.destroy())
    socket.once('close', () => this.waiting.delete(socket))
  }
}
