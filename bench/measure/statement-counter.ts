/**
 * What goes over the wire to PostgreSQL: a relay between a target and its database that counts statements and flights. A
 * flight begins when something is sent on a connection that is owed no answer; answers are held back for a moment, so that
 * all that does not wait for them has been sent. Only for counting: it is slow.
 */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { Database } from '../servers/bench-cluster'

export interface Traffic {
  statements: number
  flights: number
}

/** Milliseconds for which answers are held back. */
const HELD = 3

export class Relay {
  traffic: Traffic = { statements: 0, flights: 0 }
  private readonly sockets = new Set<Socket>()

  private constructor(
    readonly database: Database,
    private readonly end: () => void,
  ) {}

  static async open({ ownerUrl, readerUrl, writerUrl }: Database): Promise<Relay> {
    const { hostname, port } = new URL(ownerUrl)
    const server = createServer(client =>
      relay.join(client, connect({ host: hostname, port: Number(port), noDelay: true })),
    )
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const through = (url: string) => {
      const there = new URL(url)
      there.port = String((server.address() as AddressInfo).port)
      return there.href
    }
    const relay: Relay = new Relay(
      { ownerUrl: through(ownerUrl), readerUrl: through(readerUrl), writerUrl: through(writerUrl) },
      () => server.close(),
    )
    return relay
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy()
    this.end()
  }

  private join(client: Socket, server: Socket): void {
    let owed = 0
    let flying = false
    // The first message of a connection has no type.
    const asked = messages(true, type => {
      // A query, or the execution of a prepared one.
      if (type === 'Q' || type === 'E') this.traffic.statements++
      if ((type === 'Q' || type === 'B' || type === 'P') && owed === 0 && !flying) {
        this.traffic.flights++
        flying = true
      }
      if (type === 'Q' || type === 'S') owed++
    })
    const answered = messages(false, type => {
      // Ready for the next query.
      if (type !== 'Z' || owed === 0) return
      owed--
      if (owed === 0) flying = false
    })
    client.on('data', piece => {
      asked(piece)
      server.write(piece)
    })
    server.on('data', piece => {
      setTimeout(() => {
        answered(piece)
        client.write(piece)
      }, HELD)
    })
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.sockets.add(one)
      one.on('error', () => {})
      one.on('close', () => {
        this.sockets.delete(one)
        other.destroy()
      })
    }
  }
}

/** Tells the types of PostgreSQL's messages as their bytes come by. */
function messages(untypedFirst: boolean, tell: (type: string) => void): (piece: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0)
  let untyped = untypedFirst
  return piece => {
    rest = rest.length > 0 ? Buffer.concat([rest, piece]) : piece
    for (;;) {
      const at = untyped ? 0 : 1
      if (rest.length < at + 4) return
      const length = at + rest.readUInt32BE(at)
      if (rest.length < length) return
      if (!untyped) tell(String.fromCharCode(rest[0] as number))
      untyped = false
      rest = rest.subarray(length)
    }
  }
}
