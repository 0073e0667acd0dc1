/**
 * The whole service over HTTP on a database of its own. Every answer that a test gets is held against the OpenAPI
 * document, both ways: a status, a field or an error that the document does not know fails the test that met it.
 */
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Client, type Pool } from 'pg'
import pino, { type Logger } from 'pino'
import type { Environment } from '../../db/api-keys/key-format'
import { type BatchedStatement, PipelinedBatch } from '../../db/postgres/pipelined-batch'
import { openPool } from '../../db/postgres/pool'
import { ReaderPool, type ScopedReader } from '../../db/postgres/scoped-reader'
import { LegacyCalls } from '../../db/queries/legacy-calls'
import type { LoadLimits } from '../../rest-gateway/admission/admission'
import { FairScheduler } from '../../rest-gateway/admission/fair-scheduler'
import { Tarpit } from '../../rest-gateway/admission/tarpit'
import { RateLimits } from '../../rest-gateway/auth/rate-limits'
import { release } from '../../rest-gateway/conditional/release'
import type { Gateway } from '../../rest-gateway/gateway'
import { Cursors } from '../../rest-gateway/routes/cursors'
import { createGatewayServer } from '../../rest-gateway/server'
import { createDatabase } from './databases'
import { Factory } from './factories'
import { holdAgainst, type OpenApiDocument } from './openapi-check'

export interface Answer {
  status: number
  headers: Record<string, string | undefined>
  bytes: Buffer
  text: string
  /** The body, undefined without one. */
  // biome-ignore lint/suspicious/noExplicitAny: bodies are held against the OpenAPI document, tests look into them freely
  body: any
}

export interface Asked {
  key?: string
  method?: string
  body?: string
  headers?: Record<string, string | string[]>
}

export interface ServiceOptions {
  environment?: Environment
  quota?: number
  windowSeconds?: number
  connections?: number
  statementTimeoutMs?: number
  limits?: Partial<LoadLimits>
  /** The service's clock, in milliseconds since 1970. */
  now?: () => number
  partnerGa?: number
  cursorSecret?: Buffer
  origins?: string[]
  log?: Logger
}

export class Service {
  readonly make: Factory

  private constructor(
    readonly url: string,
    readonly owner: Pool,
    readonly gateway: Gateway,
    private readonly document: OpenApiDocument,
    private readonly close: () => Promise<void>,
  ) {
    this.make = new Factory(owner, gateway.environment)
  }

  static async start(options: ServiceOptions = {}): Promise<Service> {
    const database = await createDatabase()
    const owner = openPool(database.ownerUrl)
    const writer = openPool(database.writerUrl, { max: 1 })
    const { rows } = await owner.query('SELECT cursor_secret FROM service')
    const { environment = 'dev' } = options
    const gateway: Gateway = {
      environment,
      release: release(),
      database: new ReaderPool(database.readerUrl, {
        connections: options.connections ?? 4,
        statementTimeoutMs: options.statementTimeoutMs ?? 5_000,
        connectTimeoutMs: 15_000,
      }),
      cursors: new Cursors(options.cursorSecret ?? rows[0].cursor_secret, environment),
      rates: new RateLimits({ requests: options.quota ?? 1_000_000, seconds: options.windowSeconds ?? 60 }),
      log: options.log ?? pino({ level: 'silent' }),
      origins: options.origins ?? [],
      metrics: { began() {}, answered() {} },
      isStopping: () => false,
      limits: { maxConnections: 1_000, maxInFlight: 256, maxEventLoopDelayMs: 60_000, ...options.limits },
      scheduler: new FairScheduler(options.connections ?? 4, 2_000),
      tarpit: new Tarpit(),
      now: options.now ?? Date.now,
      partnerGa: options.partnerGa,
      legacyCalls: new LegacyCalls(writer, pino({ level: 'silent' })),
    }
    const server = createGatewayServer(gateway)
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const close = async () => {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
      await gateway.database.close()
      await gateway.legacyCalls.close()
      await writer.end()
      await owner.end()
      await database.drop()
    }
    const document = documentOf((await send(`${url}/openapi.json`)).text)
    return new Service(url, owner, gateway, document, close)
  }

  /** Asks for a path as the holder of a key. */
  async get(path: string, asked: Asked = {}): Promise<Answer> {
    const answer = await send(this.url + path, asked)
    holdAgainst(this.document, asked.method ?? 'GET', path, answer)
    return answer
  }

  /** The body of an answer that has to be good. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  async read(path: string, key: string): Promise<any> {
    const { status, text, body } = await this.get(path, { key })
    if (status !== 200) throw new Error(`${path}: ${status} ${text}`)
    return body
  }

  stop(): Promise<void> {
    return this.close()
  }
}

let document: { text: string; parsed: OpenApiDocument } | undefined

/** The same for the same text, so that its schemas are compiled once. */
function documentOf(text: string): OpenApiDocument {
  if (document?.text !== text) document = { text, parsed: JSON.parse(text) }
  return document.parsed
}

/** Sends as it is told, without a word of its own: no caching, no decompression, no header that nobody named. */
export function send(url: string, { key, method = 'GET', body, headers = {} }: Asked = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asking = request(url, { method, headers: { ...headers, ...(key !== undefined && { 'X-API-Key': key }) } })
    asking.on('error', reject)
    asking.on('response', response => {
      const chunks: Buffer[] = []
      response.on('data', chunk => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const bytes = Buffer.concat(chunks)
        const text = bytes.toString()
        const json = text !== '' && response.headers['content-type']?.startsWith('application/json')
        const plain = json && !response.headers['content-encoding']
        resolve({
          status: response.statusCode as number,
          headers: response.headers as Answer['headers'],
          bytes,
          text,
          body: plain ? JSON.parse(text) : undefined,
        })
      })
    })
    asking.end(body)
  })
}

/** Reads with the scope of a key, in one batch. */
export async function readAs<Result>(
  { database }: Pick<Gateway, 'database'>,
  hash: Buffer,
  read: (reader: ScopedReader) => Promise<Result> | Result,
): Promise<Result> {
  const reader = database.readerFor(hash)
  const result = Promise.resolve(read(reader))
  // Awaited below; it may be rejected before.
  result.catch(() => {})
  await reader.authenticate()
  return result
}

export interface Traffic {
  /** The names (or texts) of the statements, in order. */
  statements: string[]
  /** The number of round trips: how often something was sent on a connection on which nothing was outstanding. */
  roundTrips: number
}

/** A statement whose rows nothing uses, to be put into a batch. */
export const extraStatement = (name: string, text: string): BatchedStatement => ({
  statement: { name, text },
  values: [],
  raw: false,
  rows: [],
  resolve() {},
  reject() {},
})

/** What goes to PostgreSQL while `action` runs. */
export async function watchTraffic(action: () => Promise<unknown>): Promise<Traffic> {
  const traffic: Traffic = { statements: [], roundTrips: 0 }
  const owed = new WeakMap<Client, number>()
  const query = Client.prototype.query as unknown as Query
  const watching = jest.spyOn(Client.prototype, 'query').mockImplementation(function (
    this: Client,
    ...args: unknown[]
  ) {
    const [statement] = args as [string | PipelinedBatch | { name?: string; text: string }]
    if (statement instanceof PipelinedBatch) {
      traffic.statements.push(...statement.statements.map(seat => seat.statement.name))
      traffic.roundTrips++
      return query.apply(this, args)
    }
    traffic.statements.push(typeof statement === 'string' ? statement : (statement.name ?? statement.text))
    // What a pool sends by itself comes back through its callback, and is no round trip of a request.
    if (typeof args.at(-1) === 'function') return query.apply(this, args)
    const waiting = owed.get(this) ?? 0
    if (waiting === 0) traffic.roundTrips++
    owed.set(this, waiting + 1)
    const answer = query.apply(this, args)
    const settle = () => owed.set(this, (owed.get(this) ?? 1) - 1)
    answer.then(settle, settle)
    return answer
  } as unknown as typeof Client.prototype.query)
  try {
    await action()
  } finally {
    watching.mockRestore()
  }
  return traffic
}

type Query = (this: Client, ...args: unknown[]) => Promise<unknown>
