/**
 * The listening socket of the service. It opens before all else: while the service starts, connections wait instead of being
 * refused.
 */
import { createServer, type Socket } from 'node:net'
import type { Settings } from '../settings'
import { listen, stopListening } from './listening'

/** The longest wait of a connection. */
const MAX_WAIT_MS = 60_000

export class Listener {
  private readonly server = createServer({ pauseOnConnect: true, noDelay: true })
  private readonly waiting = new Set<Socket>()
  private serve: ((socket: Socket) => void) | undefined

  private constructor(private readonly maxWaiting: number) {
    this.server.on('connection', socket => (this.serve ? this.serve(socket) : this.keepWaiting(socket)))
  }

  /** @throws OperatorError CANNOT_LISTEN */
  static async open({ host, port, maxConnections }: Settings): Promise<{ listener: Listener; url: string }> {
    const listener = new Listener(maxConnections)
    return { listener, url: await listen(listener.server, host, port, 'PORT') }
  }

  get isListening(): boolean {
    return this.server.listening
  }

  /** Passes the connections that wait, and all further ones, to a function. */
  passTo(serve: (socket: Socket) => void): void {
    this.serve = serve
    for (const socket of this.waiting) serve(socket)
    this.waiting.clear()
  }

  /** Closes the listening socket, after the connections of its backlog were passed on. */
  close(): Promise<void> {
    return stopListening(this.server)
  }

  private keepWaiting(socket: Socket): void {
    if (this.waiting.size >= this.maxWaiting) return void socket.destroy()
    this.waiting.add(socket)
    socket.setTimeout(MAX_WAIT_MS, () => socket.destroy())
    socket.once('close', () => this.waiting.delete(socket))
  }
}
