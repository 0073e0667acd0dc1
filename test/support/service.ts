/**
 * Runs the gateway over HTTP on its own database. `get` checks each response against the OpenAPI document: a status, field,
 * header or error that is not documented fails the test.
 */
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Client, type Pool } from 'pg'
import pino, { type Logger } from 'pino'
import type { Environment } from '../../db/api-keys/key-format'
import { KeyUses } from '../../db/api-keys/key-uses'
import type { Batch, BatchedStatement } from '../../db/postgres/batch'
import type { HostsOptions } from '../../db/postgres/hosts/hosts'
import { PrimaryPool } from '../../db/postgres/hosts/primary'
import { PipelinedBatch } from '../../db/postgres/pipelined-batch'
import { openPool } from '../../db/postgres/pool'
import { ReaderPool } from '../../db/postgres/reader-pool'
import type { ScopedReader } from '../../db/postgres/scoped-reader'
import { LegacyCalls } from '../../db/queries/legacy-calls'
import { FairScheduler } from '../../rest-gateway/admission/fair-scheduler'
import { Proxies } from '../../rest-gateway/admission/proxies'
import { RateLimits } from '../../rest-gateway/auth/rate-limits'
import type { Gateway } from '../../rest-gateway/gateway'
import { Cursors } from '../../rest-gateway/routes/cursors'
import { createGatewayServer } from '../../rest-gateway/server'
import { createDatabase, type TestDatabase, testServer } from './databases'
import { Factory } from './factories'
import { checkResponse, type OpenApiDocument, served } from './openapi-check'
import { shuffledRows } from './shuffled-rows'

export interface TestResponse {
  status: number
  headers: Record<string, string | undefined>
  bytes: Buffer
  text: string
  /** The parsed body, if it is uncompressed JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: bodies are checked against the OpenAPI document
  body: any
}

export interface RequestOptions {
  key?: string
  method?: string
  body?: string | Buffer
  headers?: Record<string, string | string[]>
}

export interface ServiceOptions {
  environment?: Environment
  quota?: number
  windowSeconds?: number
  connections?: number
  statementTimeoutMs?: number
  limits?: Partial<Gateway['limits']>
  /** The service's clock, in milliseconds since 1970. */
  now?: () => number
  partnerGa?: number
  cursorSecret?: Buffer
  origins?: string[]
  mcpHosts?: string[]
  /** By default, an address that all services have, so that their OpenAPI documents are the same. */
  publicUrl?: string | undefined
  log?: Logger
  /** A database that is there already, instead of one of its own. */
  database?: TestDatabase
  /** The hosts to read from, where there are replicas. */
  readerUrls?: readonly string[]
  hosts?: HostsOptions
  /** The batches of requests; by default, rows without ORDER BY arrive shuffled. */
  createBatch?: () => Batch
}

export class Service {
  readonly make: Factory

  private constructor(
    readonly url: string,
    readonly owner: Pool,
    readonly gateway: Gateway,
    readonly database: TestDatabase,
    private readonly document: OpenApiDocument,
    private readonly close: () => Promise<void>,
  ) {
    this.make = new Factory(owner, gateway.environment)
  }

  static async start(options: ServiceOptions = {}): Promise<Service> {
    const database = options.database ?? (await createDatabase())
    const owner = openPool(database.ownerUrl)
    const { rows } = await owner.query('SELECT cursor_secret FROM service')
    const { environment = 'dev' } = options
    const readers = new ReaderPool(
      options.readerUrls ?? database.readerUrl,
      {
        connections: options.connections ?? 4,
        statementTimeoutMs: options.statementTimeoutMs ?? 5_000,
        connectTimeoutMs: 15_000,
      },
      options.createBatch ?? shuffledRows(),
      options.hosts,
    )
    const writer = new PrimaryPool(database.writerUrl, { max: 1 }, readers)
    const gateway: Gateway = {
      environment,
      release: testServer().release,
      database: readers,
      cursors: new Cursors(options.cursorSecret ?? rows[0].cursor_secret, environment),
      rates: new RateLimits({ requests: options.quota ?? 1_000_000, seconds: options.windowSeconds ?? 60 }),
      log: options.log ?? pino({ level: 'silent' }),
      origins: options.origins ?? [],
      mcpHosts: options.mcpHosts,
      metrics: { requestStarted() {}, requestCompleted() {} },
      isStopping: () => false,
      limits: {
        maxConnections: 1_000,
        maxConnectionsPerAddress: 1_000,
        proxies: new Proxies([]),
        maxInFlight: 256,
        maxUnsentBytes: 134_217_728,
        maxEventLoopDelayMs: 60_000,
        ...options.limits,
      },
      scheduler: new FairScheduler(options.connections ?? 4, 2_000),
      now: options.now ?? Date.now,
      partnerGa: options.partnerGa,
      publicUrl: 'publicUrl' in options ? options.publicUrl : 'https://metrics.example',
      supportContact: undefined,
      legacyCalls: new LegacyCalls(writer, pino({ level: 'silent' })),
      // Most services record a key and count no legacy call: they need no connection of the writer.
      keyUses: new KeyUses(owner, pino({ level: 'silent' })),
    }
    const server = createGatewayServer(gateway)
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const close = async () => {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
      await gateway.database.close()
      await gateway.legacyCalls.close()
      await gateway.keyUses.close()
      await writer.close()
      await owner.end()
      await database.drop()
    }
    return new Service(url, owner, gateway, database, await readDocument(url), close)
  }

  /** Sends a request and checks its response against the OpenAPI document. */
  async get(path: string, options: RequestOptions = {}): Promise<TestResponse> {
    const response = await send(this.url + path, options)
    checkResponse(this.document, options.method ?? 'GET', path, response)
    return response
  }

  /** Returns the body of a response with status 200; any other status fails the test. */
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

/** Returns the document of a service, which is parsed once as long as services have the same. */
async function readDocument(url: string): Promise<OpenApiDocument> {
  const { tag, document } = served
  const { status, headers, body } = await send(`${url}/openapi.json`, { headers: tag ? { 'If-None-Match': tag } : {} })
  if (document && status === 304) return document
  Object.assign(served, { tag: headers.etag, document: body })
  return body
}

/** Sends a request without caching, decompression or default headers. */
export function send(
  url: string,
  { key, method = 'GET', body, headers = {} }: RequestOptions = {},
): Promise<TestResponse> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, headers: { ...headers, ...(key !== undefined && { 'X-API-Key': key }) } })
    outgoing.on('error', reject)
    outgoing.on('response', response => {
      const chunks: Buffer[] = []
      response.on('data', chunk => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const bytes = Buffer.concat(chunks)
        const text = bytes.toString()
        const json = text !== '' && response.headers['content-type']?.startsWith('application/json')
        const parsable = json && !response.headers['content-encoding']
        resolve({
          status: response.statusCode as number,
          headers: response.headers as TestResponse['headers'],
          bytes,
          text,
          body: parsable ? JSON.parse(text) : undefined,
        })
      })
    })
    outgoing.end(body)
  })
}

/** Runs `read` with the scope of a key, in one batch. */
export async function readAs<Result>(
  { database }: Pick<Gateway, 'database'>,
  hash: Buffer,
  read: (reader: ScopedReader) => Promise<Result> | Result,
): Promise<Result> {
  const reader = database.readerFor(hash)
  const result = Promise.resolve(read(reader))
  // It is awaited by the caller, and may be rejected before that.
  result.catch(() => {})
  await reader.authenticate()
  return result
}

export interface Traffic {
  /** The names (or texts) of the statements, in order. */
  statements: string[]
  /** The statements of batches, with their values. */
  batched: BatchedStatement[]
  /** The number of times that something was sent on a connection without outstanding statements. */
  roundTrips: number
}

/** Returns a statement to insert into a batch; its rows are ignored. */
export const unusedStatement = (name: string, text: string): BatchedStatement => ({
  statement: { name, text },
  values: [],
  raw: false,
  rows: [],
  resolve() {},
  reject() {},
})

/** Statements of timers, which belong to no request. */
const PERIODIC = /count_legacy_calls|record_key_uses/

/** Records the statements sent to PostgreSQL while `action` runs. */
export async function watchTraffic(action: () => Promise<unknown>): Promise<Traffic> {
  const traffic: Traffic = { statements: [], batched: [], roundTrips: 0 }
  const outstanding = new WeakMap<Client, number>()
  const query = Client.prototype.query as unknown as Query
  const spy = jest.spyOn(Client.prototype, 'query').mockImplementation(function (this: Client, ...args: unknown[]) {
    const [statement] = args as [string | PipelinedBatch | { name?: string; text: string }]
    if (typeof statement === 'string' && PERIODIC.test(statement)) return query.apply(this, args)
    if (statement instanceof PipelinedBatch) {
      traffic.statements.push(...statement.statements.map(batched => batched.statement.name))
      traffic.batched.push(...statement.statements)
      traffic.roundTrips++
      return query.apply(this, args)
    }
    traffic.statements.push(typeof statement === 'string' ? statement : (statement.name ?? statement.text))
    // Statements with a callback are sent by the pool itself and belong to no request.
    if (typeof args.at(-1) === 'function') return query.apply(this, args)
    const count = outstanding.get(this) ?? 0
    if (count === 0) traffic.roundTrips++
    outstanding.set(this, count + 1)
    const result = query.apply(this, args)
    const settle = () => outstanding.set(this, (outstanding.get(this) ?? 1) - 1)
    result.then(settle, settle)
    return result
  } as unknown as typeof Client.prototype.query)
  try {
    await action()
  } finally {
    spy.mockRestore()
  }
  return traffic
}

type Query = (this: Client, ...args: unknown[]) => Promise<unknown>
