/** Creates contexts of real Koa requests without a server. */
import { type IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import Koa, { type Context } from 'koa'

/** @param headers request headers, with names in lower case */
export function koaContext(headers: IncomingHttpHeaders = {}): Context {
  const request = new IncomingMessage(new Socket())
  Object.assign(request.headers, headers)
  return new Koa().createContext(request, new ServerResponse(request))
}
