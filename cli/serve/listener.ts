/**
 * The listening socket of the service. It opens before all else, and belongs to no worker: while nothing can serve a
 * connection, it waits instead of being refused.
 */
import { createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Settings } from '../settings'
import { listen, stopListening } from './listening'

/** The longest wait of a connection that is not served. */
const MAX_WAIT_MS = 60_000

const CHECK_INTERVAL_MS = 20

/** Starts to serve a connection. Returns false where it cannot do so now. */
type Serve = (socket: Socket) => boolean

export class Listener {
  // Whoever serves a connection reads it, which may be another process.
  private readonly server = createServer({ pauseOnConnect: true, noDelay: true })
  private readonly waiting = new Set<Socket>()
  private serve: Serve | undefined

  private constructor(private readonly maxWaiting: number) {
    this.server.on('connection', socket => this.accept(socket))
  }

  /** @throws OperatorError CANNOT_LISTEN */
  static async open({ host, port, maxConnections, workers }: Settings): Promise<{ listener: Listener; url: string }> {
    const listener = new Listener(maxConnections * workers)
    return { listener, url: await listen(listener.server, host, port, 'PORT') }
  }

  get isListening(): boolean {
    return this.server.listening
  }

  /** Passes connections to a function from now on. */
  passTo(serve: Serve): void {
    this.serve = serve
    this.passWaiting()
  }

  accept(socket: Socket): void {
    if (this.waiting.size === 0 && this.serve?.(socket)) return
    if (this.waiting.size >= this.maxWaiting) return void socket.destroy()
    this.waiting.add(socket)
    socket.setTimeout(MAX_WAIT_MS, () => socket.destroy())
    socket.once('close', () => this.waiting.delete(socket))
  }

  /** Passes connections that wait, as far as they can be served. */
  passWaiting(): void {
    for (const socket of this.waiting) {
      if (!this.serve?.(socket)) return
      this.waiting.delete(socket)
    }
  }

  /** Closes the listening socket. Resolves when all connections are served; those still waiting after the timeout are closed. */
  async close(timeoutMs: number): Promise<void> {
    await stopListening(this.server)
    const deadline = performance.now() + timeoutMs
    while (this.serve && this.waiting.size > 0 && performance.now() < deadline) await sleep(CHECK_INTERVAL_MS)
    for (const socket of this.waiting) socket.destroy()
  }
}
