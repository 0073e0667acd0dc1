/**
 * A TCP proxy between a target and PostgreSQL that counts statements and round trips. A round trip begins when a message
 * is sent on a connection on which no response is outstanding. Responses are delayed, so that everything that does not
 * depend on them is sent first. The proxy is slow: it is for counting only.
 */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { Database } from '../servers/bench-cluster'

export interface StatementCounts {
  statements: number
  roundTrips: number
}

const RESPONSE_DELAY_MS = 3

export class StatementCounter {
  counts: StatementCounts = { statements: 0, roundTrips: 0 }
  private readonly sockets = new Set<Socket>()

  private constructor(
    /** The connection strings of the database through this proxy. */
    readonly database: Database,
    private readonly stopListening: () => void,
  ) {}

  static async open({ ownerUrl, readerUrl, writerUrl }: Database): Promise<StatementCounter> {
    const { hostname, port } = new URL(ownerUrl)
    const server = createServer(client =>
      counter.forward(client, connect({ host: hostname, port: Number(port), noDelay: true })),
    )
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const throughProxy = (url: string) => {
      const changed = new URL(url)
      changed.port = String((server.address() as AddressInfo).port)
      // By it, connections would find the server itself.
      changed.searchParams.delete('embedded_in')
      return changed.href
    }
    const database = {
      ownerUrl: throughProxy(ownerUrl),
      readerUrl: throughProxy(readerUrl),
      writerUrl: throughProxy(writerUrl),
    }
    const counter = new StatementCounter(database, () => server.close())
    return counter
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy()
    this.stopListening()
  }

  private forward(client: Socket, server: Socket): void {
    let outstanding = 0
    let inRoundTrip = false
    const onRequest = messageParser(true, type => {
      // A simple query, or the execution of a prepared statement.
      if (type === 'Q' || type === 'E') this.counts.statements++
      if ((type === 'Q' || type === 'B' || type === 'P') && outstanding === 0 && !inRoundTrip) {
        this.counts.roundTrips++
        inRoundTrip = true
      }
      if (type === 'Q' || type === 'S') outstanding++
    })
    const onResponse = messageParser(false, type => {
      // Z is ReadyForQuery.
      if (type !== 'Z' || outstanding === 0) return
      outstanding--
      if (outstanding === 0) inRoundTrip = false
    })
    client.on('data', chunk => {
      onRequest(chunk)
      server.write(chunk)
    })
    server.on('data', chunk => {
      setTimeout(() => {
        onResponse(chunk)
        client.write(chunk)
      }, RESPONSE_DELAY_MS)
    })
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.sockets.add(socket)
      // The close event follows.
      socket.on('error', () => {})
      socket.on('close', () => {
        this.sockets.delete(socket)
        other.destroy()
      })
    }
  }
}

/**
 * Parses PostgreSQL's messages.
 *
 * @param startup whether the first message is a startup message, which has no type
 * @param onMessage is called with the type of each other message
 */
function messageParser(startup: boolean, onMessage: (type: string) => void): (chunk: Buffer) => void {
  let buffered: Buffer = Buffer.alloc(0)
  let untyped = startup
  return chunk => {
    buffered = buffered.length > 0 ? Buffer.concat([buffered, chunk]) : chunk
    for (;;) {
      const at = untyped ? 0 : 1
      if (buffered.length < at + 4) return
      const length = at + buffered.readUInt32BE(at)
      if (buffered.length < length) return
      if (!untyped) onMessage(String.fromCharCode(buffered[0] as number))
      untyped = false
      buffered = buffered.subarray(length)
    }
  }
}
