/**
 * When an answer has left, or can't any more. Koa learns it from on-finished, which listens to the connection of each request
 * besides: on connections that live long, what those listeners hold of requests outlived them, so that the collector copied
 * it twice and then left it among what is old. A response says itself when it is over.
 */
import type { RequestListener, ServerResponse } from 'node:http'

type Tell = (fault: undefined, response: ServerResponse) => void

/** A response with what on-finished keeps at it: whom to tell. Where that is there, it does not listen itself. */
interface Watched extends ServerResponse {
  __onFinished?: { queue: Tell[] }
}

/** Passes on requests whose responses tell when they are over. */
export function tellFinished(listener: RequestListener): RequestListener {
  return (request, response: Watched) => {
    const queue: Tell[] = []
    response.__onFinished = { queue }
    response.once('close', () => {
      for (const tell of queue) tell(undefined, response)
    })
    listener(request, response)
  }
}
