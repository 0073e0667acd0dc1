/** What the operator's own tools ask for, on a port that is not the public one: `/metrics` for Prometheus. */
import { createServer, type Server } from 'node:http'
import type { Registry } from 'prom-client'

/** @param gather collects what is to be told, each time anew */
export function createAdminServer(gather: () => Promise<Registry>): Server {
  return createServer(async (request, response) => {
    const [path] = (request.url ?? '').split('?')
    if (path !== '/metrics') return void response.writeHead(404).end()
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return void response.writeHead(405, { Allow: 'GET, HEAD' }).end()
    }
    const register = await gather()
    const metrics = await register.metrics()
    response.writeHead(200, { 'Content-Type': register.contentType }).end(metrics)
  })
}
