/** The server on the admin port: `/metrics` for Prometheus. */
import { createServer, type Server } from 'node:http'
import type { Registry } from 'prom-client'

/** @param collect returns the current metrics */
export const createAdminServer = (collect: () => Registry): Server =>
  createServer(async (request, response) => {
    const [path] = (request.url ?? '').split('?')
    if (path !== '/metrics') return void response.writeHead(404).end()
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return void response.writeHead(405, { Allow: 'GET, HEAD' }).end()
    }
    const registry = collect()
    const metrics = await registry.metrics()
    response.writeHead(200, { 'Content-Type': registry.contentType }).end(metrics)
  })
