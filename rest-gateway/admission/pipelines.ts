/** Bounds the requests that come on one connection before those ahead of them are answered. */
import type { IncomingMessage, RequestListener } from 'node:http'
import type { Socket } from 'node:net'

const MOST_A_CONNECTION = 32

const oneTooMany = new WeakSet<IncomingMessage>()

/** Whether a request is the one too many on its connection: it is refused, and the connection closed. */
export const isOneTooMany = (request: IncomingMessage): boolean => oneTooMany.has(request)

/** Passes on what is within the bound, and one more to be refused. What comes behind that is not even read. */
export function boundPipelines(listener: RequestListener): RequestListener {
  const underWay = new WeakMap<Socket, number>()
  return (request, response) => {
    const { socket } = request
    const number = (underWay.get(socket) ?? 0) + 1
    underWay.set(socket, number)
    response.once('close', () => underWay.set(socket, (underWay.get(socket) ?? 1) - 1))
    if (number > MOST_A_CONNECTION) {
      oneTooMany.add(request)
      socket.pause()
      // Node would read on whenever an answer has left.
      socket.resume = () => socket
      // Some more may have arrived together with it. Node would make a request of each, to abort them one by one in the end.
      const { parser } = socket as Socket & { parser?: { onIncoming: () => number } }
      if (parser) parser.onIncoming = () => 0
    }
    listener(request, response)
  }
}
