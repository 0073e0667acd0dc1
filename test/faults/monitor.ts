/** Requests a service continuously and records the responses: how an outage looks to clients. */
import { setTimeout as sleep } from 'node:timers/promises'
import { send } from '../support/http'
import { checkResponse, type OpenApiDocument } from '../support/openapi-check'

interface Observation {
  path: string
  /** 0 without a response. */
  status: number
  code: string | undefined
  retryAfter: string | undefined
  ms: number
  /** When the response was complete, by `performance.now()`. */
  at: number
}

const GRAPHQL = `/graphql?query=${encodeURIComponent('{ assets(limit: 5) { nodes { id sensors { id serial } } } }')}`

/** Paths that need PostgreSQL, and both health checks. */
const PATHS = ['/v1/partner/meta', '/v1/partner/sensors?limit=5', GRAPHQL, '/healthz', '/readyz']

/** Longer than all timeouts of the service together. */
const MAX_RESPONSE_MS = 25_000

const monitors = new Set<Monitor>()

// A failed test leaves no monitor behind.
afterEach(() => {
  for (const monitor of monitors) monitor.end()
})

export class Monitor {
  readonly observations: Observation[] = []
  private running = true
  private readonly loops: Promise<void>[]

  private constructor(
    readonly url: string,
    private readonly key: string,
    private readonly document: OpenApiDocument,
  ) {
    monitors.add(this)
    this.loops = PATHS.map(path => this.repeat(path))
  }

  /** Starts to request a service, and waits until it is ready. */
  static async start(url: string, key: string): Promise<Monitor> {
    const document = JSON.parse((await send(`${url}/openapi.json`)).text)
    const monitor = new Monitor(url, key, document)
    await monitor.until('/readyz', 200)
    return monitor
  }

  /** Waits for a response with this status to a request sent from now on. @returns the waiting time in milliseconds */
  async until(path: string, status: number): Promise<number> {
    const began = performance.now()
    for (;;) {
      const found = this.observations.find(
        observation =>
          observation.at - observation.ms > began && observation.path === path && observation.status === status,
      )
      if (found) return found.at - began
      if (performance.now() - began > 60_000) throw new Error(`${path} did not respond ${status} within a minute`)
      await sleep(10)
    }
  }

  /** Waits until every path responds 200. @returns the waiting time in milliseconds */
  async recovery(): Promise<number> {
    return Math.max(...(await Promise.all(PATHS.map(path => this.until(path, 200)))))
  }

  end(): void {
    this.running = false
    monitors.delete(this)
  }

  /** Stops after the last responses. @throws Error if any response is one that no outage excuses */
  async stop(): Promise<void> {
    this.end()
    await Promise.all(this.loops)
    const wrong = this.observations.filter(
      ({ path, status, retryAfter, ms }) =>
        ![200, 503, 504].includes(status) ||
        (status === 503 && retryAfter === undefined) ||
        (path === '/healthz' && status !== 200) ||
        ms > MAX_RESPONSE_MS,
    )
    if (wrong.length > 0) throw new Error(`unexpected responses: ${JSON.stringify(wrong.slice(0, 5))}`)
  }

  private async repeat(path: string): Promise<void> {
    while (this.running) {
      this.observations.push(await this.observe(path))
      await sleep(20)
    }
  }

  private async observe(path: string): Promise<Observation> {
    const began = performance.now()
    const observed = await this.read(path).catch(error => ({
      status: 0,
      code: String(error.message),
      retryAfter: undefined,
    }))
    const at = performance.now()
    return { path, ...observed, ms: at - began, at }
  }

  private async read(path: string) {
    // On a connection of its own, so that no other request affects its response.
    const response = await send(this.url + path, { key: this.key, headers: { Connection: 'close' } })
    checkResponse(this.document, 'GET', path, response)
    const { status, headers, body } = response
    const code: string | undefined = body?.error?.code ?? body?.errors?.[0].extensions.code
    // GraphQL can report an error of the server with status 200.
    const failed = status === 200 && code !== undefined && ['INTERNAL', 'UNAVAILABLE'].includes(code)
    return { status: failed ? 500 : status, code, retryAfter: headers['retry-after'] }
  }
}
