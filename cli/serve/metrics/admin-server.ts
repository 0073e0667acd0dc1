/** The server on the admin port: `/metrics` for Prometheus. Before the service has started, it responds 503. */
import { createServer, type ServerResponse } from 'node:http'
import type { Registry } from 'prom-client'
import { stopListening } from '../listening'

export class AdminServer {
  readonly server = createServer((request, response) => {
    const [path] = (request.url ?? '').split('?')
    if (path !== '/metrics') return void response.writeHead(404).end()
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return void response.writeHead(405, { Allow: 'GET, HEAD' }).end()
    }
    return this.sendMetrics(response)
  })
  private collect: (() => Registry) | undefined

  /** @param collect returns the current metrics */
  serve(collect: () => Registry): void {
    this.collect = collect
  }

  async close(): Promise<void> {
    await stopListening(this.server)
    this.server.closeAllConnections()
  }

  private async sendMetrics(response: ServerResponse): Promise<void> {
    if (!this.collect) return void response.writeHead(503, { 'Retry-After': '1' }).end()
    const registry = this.collect()
    const metrics = await registry.metrics()
    response.writeHead(200, { 'Content-Type': registry.contentType }).end(metrics)
  }
}
