/**
 * Connections that wait for a worker. Who has fewest comes first, and of those the last: whoever comes beside a crowd does
 * not wait for all of it.
 */
import type { Socket } from 'node:net'
import { addressOf } from '../../rest-gateway/admission/callers'

export class ConnectionQueue<Connection extends Pick<Socket, 'remoteAddress'> = Socket> {
  size = 0
  private readonly byAddress = new Map<string, Connection[]>()

  add(connection: Connection): void {
    const address = addressOf(connection)
    const others = this.byAddress.get(address)
    if (others) others.push(connection)
    else this.byAddress.set(address, [connection])
    this.size++
  }

  /** The next one, which waits no longer; undefined where none waits. */
  take(): Connection | undefined {
    let next: [address: string, connections: Connection[]] | undefined
    for (const entry of this.byAddress) if (!next || entry[1].length <= next[1].length) next = entry
    if (!next) return undefined
    const [address, connections] = next
    if (connections.length === 1) this.byAddress.delete(address)
    this.size--
    return connections.pop()
  }
}
