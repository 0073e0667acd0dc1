/**
 * Closes the connections that the primary has handed to a worker which died before it accepted them. Node's cluster module
 * leaves them open, so that their clients would wait until they time out.
 */
import type { Worker } from 'node:cluster'

/** A message of the cluster module: it numbers its requests, and replies name the number. */
interface ClusterMessage {
  act?: string
  seq?: number
  ack?: number
}

interface Handle {
  close(): void
}

type Send = (message: ClusterMessage, handle?: unknown, ...rest: unknown[]) => boolean

export function closeUnacceptedConnections({ process }: Worker): void {
  const unaccepted = new Map<number | undefined, Handle>()
  const send = process.send.bind(process) as Send
  const remember: Send = (message, handle, ...rest) => {
    if (message?.act === 'newconn') unaccepted.set(message.seq, handle as Handle)
    return send(message, handle, ...rest)
  }
  Object.assign(process, { send: remember })
  process.on('internalMessage', ({ ack }: ClusterMessage) => unaccepted.delete(ack))
  process.once('exit', () => {
    for (const handle of unaccepted.values()) handle.close()
  })
}
