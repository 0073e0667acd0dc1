/** Callers who never cease to ask, and what they were told: what a fault looks like from outside. */
import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { checkResponse, type OpenApiDocument } from '../support/openapi-check'
import { send } from '../support/service'

export interface Told {
  path: string
  /** 0 without an answer. */
  status: number
  code: string | undefined
  retryAfter: string | undefined
  ms: number
  /** When it was told, by `performance.now()`. */
  at: number
}

const META = '/v1/partner/meta'

const LIST = '/v1/partner/sensors?limit=5'

const GRAPHQL = `/graphql?query=${encodeURIComponent('{ assets(limit: 5) { nodes { id sensors { id asset { name } } } } }')}`

/** What can't be answered without PostgreSQL. */
const READS = [META, LIST, GRAPHQL]

/** Longer than any patience of the service: whoever waits so long was left hanging. */
const HANGING_MS = 25_000

const watchers = new Set<Watcher>()

// Nobody asks on behind a test that failed half-way.
afterEach(() => {
  for (const watcher of watchers) watcher.cease()
})

export class Watcher {
  readonly told: Told[] = []
  private watching = true
  private readonly askers: Promise<void>[]

  private constructor(
    readonly url: string,
    private readonly key: string,
    private readonly document: OpenApiDocument,
  ) {
    watchers.add(this)
    this.askers = [...READS, '/healthz', '/readyz'].map(path => this.askOn(path))
  }

  /** Asks a service from now on. */
  static async of(url: string, key: string): Promise<Watcher> {
    const document = JSON.parse((await send(`${url}/openapi.json`)).text)
    const watcher = new Watcher(url, key, document)
    await watcher.until('/readyz', 200)
    return watcher
  }

  /** Waits until a path was answered so after this call; how long that took, in milliseconds. */
  async until(path: string, status: number): Promise<number> {
    const began = performance.now()
    for (;;) {
      const told = this.told.find(told => told.at - told.ms > began && told.path === path && told.status === status)
      if (told) return told.at - began
      if (performance.now() - began > 60_000) throw new Error(`${path} did not come to ${status} within a minute`)
      await sleep(10)
    }
  }

  /** Waits until everything is answered as on a good day; how long that took, in milliseconds. */
  async recovered(): Promise<number> {
    return Math.max(...(await Promise.all([...READS, '/healthz', '/readyz'].map(path => this.until(path, 200)))))
  }

  cease(): void {
    this.watching = false
    watchers.delete(this)
  }

  /** Ceases to ask, and waits for the last answers. @throws Error where anything was told that must not be, whatever the fault */
  async stop(): Promise<Told[]> {
    this.cease()
    await Promise.all(this.askers)
    const wrong = this.told.filter(
      ({ path, status, retryAfter, ms }) =>
        ![200, 503, 504].includes(status) ||
        (status === 503 && retryAfter === undefined) ||
        (path === '/healthz' && status !== 200) ||
        ms > HANGING_MS,
    )
    if (wrong.length > 0) throw new Error(`told wrongly: ${JSON.stringify(wrong.slice(0, 5))}`)
    return this.told
  }

  private async askOn(path: string): Promise<void> {
    while (this.watching) {
      this.told.push(await this.ask(path))
      await sleep(20)
    }
  }

  private async ask(path: string): Promise<Told> {
    const began = performance.now()
    const none = { path, status: 0, code: undefined, retryAfter: undefined }
    const told = await askOnce(this.url + path, this.key)
      .then(answer => {
        const body = answer.text.startsWith('{') ? JSON.parse(answer.text) : undefined
        checkResponse(this.document, 'GET', path, { ...answer, bytes: Buffer.from(answer.text), body })
        const code = body?.error?.code ?? body?.errors?.[0].extensions.code
        // GraphQL tells faults of its own behind a status of 200.
        const status = answer.status === 200 && ['INTERNAL', 'UNAVAILABLE'].includes(code) ? 500 : answer.status
        return { path, status, code, retryAfter: answer.headers['retry-after'] }
      })
      .catch(error => ({ ...none, code: String(error.message) }))
    const at = performance.now()
    return { ...told, ms: at - began, at }
  }
}

interface Plain {
  status: number
  headers: Record<string, string | undefined>
  text: string
}

/** On a connection of its own, so that what is told is of this request alone. */
function askOnce(url: string, key: string): Promise<Plain> {
  return new Promise((resolve, reject) => {
    const asking = request(url, { agent: false, headers: { 'X-API-Key': key }, timeout: 2 * HANGING_MS })
    asking.on('timeout', () => asking.destroy(new Error('no answer')))
    asking.on('error', reject)
    asking.on('response', response => {
      let text = ''
      response.setEncoding('utf8').on('data', chunk => (text += chunk))
      response.on('error', reject)
      response.on('end', () =>
        resolve({ status: response.statusCode as number, headers: response.headers as Plain['headers'], text }),
      )
    })
    asking.end()
  })
}
