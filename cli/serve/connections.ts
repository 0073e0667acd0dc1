/** Serves connections that were accepted elsewhere with an HTTP server that does not listen itself. */
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** The timeout of idle connections at shutdown, since requests may be on their way. */
const IDLE_MS = 300

const CHECK_INTERVAL_MS = 20

export class Connections {
  private readonly open = new Set<Socket>()

  constructor(private readonly server: Server) {
    // From this event on, the server watches how long its connections take to send a request.
    server.emit('listening')
  }

  serve(socket: Socket): void {
    this.open.add(socket)
    socket.once('close', () => this.open.delete(socket))
    socket.setTimeout(0)
    // As the server sets it for connections that it accepts itself.
    socket.allowHalfOpen = true
    this.server.emit('connection', socket)
    socket.resume()
  }

  /** Closes the connections as they become idle, and after the timeout all of them. */
  async close(timeoutMs: number): Promise<void> {
    const start = performance.now()
    while (this.open.size > 0) {
      const ms = performance.now() - start
      if (ms >= timeoutMs) for (const socket of this.open) socket.destroy()
      else if (ms >= IDLE_MS) this.server.closeIdleConnections()
      await sleep(CHECK_INTERVAL_MS)
    }
  }
}
