/** Passes connections on to PostgreSQL, and cuts one at its commit. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** `unsent`: the server does not receive the commit. `unanswered`: it commits, and its answer is lost. */
export type Cut = 'unsent' | 'unanswered'

/** The simple query COMMIT of the protocol, as pg and Knex send it. */
const COMMIT = /Q\0\0\0.COMMIT;?\0/s

export class CuttingProxy {
  /** The way in which the next commit is cut; undefined once it is. */
  cut: Cut | undefined
  private readonly sockets = new Set<Socket>()
  private readonly server: Server

  private constructor(private readonly target: URL) {
    this.server = createServer(client => this.pass(client)).listen(0, '127.0.0.1')
  }

  static async to(url: string): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(new URL(url))
    await once(proxy.server, 'listening')
    return proxy
  }

  /** The address of the database behind it. */
  get url(): string {
    const { port } = this.server.address() as AddressInfo
    return Object.assign(new URL(this.target), { hostname: '127.0.0.1', port }).href
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy()
    this.server.close()
  }

  private pass(client: Socket): void {
    const server = connect(Number(this.target.port), this.target.hostname)
    const end = () => {
      client.destroy()
      server.destroy()
    }
    for (const socket of [client, server]) {
      this.sockets.add(socket)
      socket.on('error', end).on('close', end)
    }
    let isCommitting = false
    client.on('data', data => {
      if (!this.cut || !COMMIT.test(data.toString('latin1'))) return server.write(data)
      const { cut } = this
      this.cut = undefined
      if (cut === 'unsent') return end()
      isCommitting = true
      server.write(data)
    })
    server.on('data', data => (isCommitting && data.includes('COMMIT\0') ? end() : client.write(data)))
  }
}
