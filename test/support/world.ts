/**
 * Gives a test what it needs: a database of its own with the gateway over HTTP, the commands, GraphQL and imports. `get` checks each
 * response against the OpenAPI document: a status, field, header or error that is not documented fails the test.
 */
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { type ExecutionResult, graphql } from 'graphql'
import type { Pool } from 'pg'
import pino, { type Logger } from 'pino'
import { packageVersion } from '../../cli/package-directory'
import { type Environment, keyHash } from '../../db/api-keys/key-format'
import { KeyUses } from '../../db/api-keys/key-uses'
import { FileError, type RowError } from '../../db/file-errors'
import { READ_TABLES } from '../../db/logins'
import type { Batch } from '../../db/postgres/batch'
import { openPool } from '../../db/postgres/pool'
import { ReaderPool } from '../../db/postgres/reader-pool'
import type { ScopedReader } from '../../db/postgres/scoped-reader'
import { LegacyCalls } from '../../db/queries/legacy'
import { verify } from '../../db/verify/verify'
import { type ImportOptions, importFile } from '../../imports/import-file'
import type { Kind } from '../../imports/kind-names'
import { Context } from '../../resolvers/context'
import { describeMethodology } from '../../resolvers/methodology'
import { schema } from '../../resolvers/schema'
import { Proxies } from '../../rest-gateway/edge/proxies'
import { RateLimits } from '../../rest-gateway/edge/rates'
import type { Gateway } from '../../rest-gateway/gateway'
import { Cursors } from '../../rest-gateway/read/cursors'
import { createGatewayServer } from '../../rest-gateway/server'
import { createDatabase, settingsOf, type TestDatabase, withoutTriggers } from './databases'
import { Factory } from './factories'
import { type RequestOptions, send, type TestResponse } from './http'
import { type Ended, run, runJson } from './in-process'
import { checkResponse, type OpenApiDocument, served } from './openapi-check'
import type { Outcome } from './outcomes'
import { shuffledRows } from './shuffled-rows'
import { readStoredDays, type StoredDay } from './stored-days'

export interface WorldOptions {
  environment?: Environment
  quota?: number
  windowSeconds?: number
  connections?: number
  statementTimeoutMs?: number
  connectTimeoutMs?: number
  limits?: Partial<Gateway['limits']>
  /** The service's clock, in milliseconds since 1970. */
  now?: () => number
  partnerGa?: number
  cursorSecret?: Buffer | undefined
  /** By default, an address that all services have, so that their OpenAPI documents are the same. */
  publicUrl?: string | undefined
  supportContact?: string | undefined
  log?: Logger
  /** A database that is there already, instead of one of its own. */
  database?: TestDatabase
  /** The hosts to read from, where there are replicas. */
  readerUrls?: readonly string[]
  maxReplicaLagMs?: number
  /** The batches of requests; by default, rows without ORDER BY arrive shuffled. */
  createBatch?: () => Batch
}

export class World {
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

  static async open(options: WorldOptions = {}): Promise<World> {
    const database = options.database ?? (await createDatabase())
    const owner = openPool(database.ownerUrl)
    const { rows } = await owner.query('SELECT cursor_secret FROM service')
    const { environment = 'dev' } = options
    const readers = new ReaderPool(
      options.readerUrls ?? database.readerUrl,
      {
        connections: options.connections ?? 4,
        statementTimeoutMs: options.statementTimeoutMs ?? 5_000,
        connectTimeoutMs: options.connectTimeoutMs ?? 15_000,
      },
      options.createBatch ?? shuffledRows(),
      options.maxReplicaLagMs,
    )
    const writer = openPool(database.ownerUrl, { max: 1 })
    const gateway: Gateway = {
      version: packageVersion(),
      environment,
      database: readers,
      cursors: new Cursors(options.cursorSecret ?? rows[0].cursor_secret, environment),
      rates: new RateLimits({ requests: options.quota ?? 1_000_000, seconds: options.windowSeconds ?? 60 }),
      log: options.log ?? pino({ level: 'silent' }),
      metrics: { requestStarted() {}, requestCompleted() {} },
      isStopping: () => false,
      limits: {
        maxConnections: 1_000,
        maxConnectionsPerAddress: 1_000,
        proxies: new Proxies([]),
        maxUnsentBytes: 134_217_728,
        maxEventLoopDelayMs: 60_000,
        ...options.limits,
      },
      now: options.now ?? Date.now,
      partnerGa: options.partnerGa,
      publicUrl: 'publicUrl' in options ? options.publicUrl : 'https://metrics.example',
      supportContact: options.supportContact,
      methodology: describeMethodology(),
      legacyCalls: new LegacyCalls(writer, pino({ level: 'silent' })),
      // Most services record a key and count no legacy call: they need no other connection.
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
      await writer.end()
      await owner.end()
      await database.drop()
    }
    return new World(url, owner, gateway, database, await readDocument(url), close)
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

  /** Imports lines or bytes. The reason why a file is refused is in `errors` too. */
  async import(
    kind: Kind,
    content: readonly string[] | Buffer | Readable,
    options: ImportOptions = {},
  ): Promise<Outcome> {
    const errors: RowError[] = []
    const stream =
      content instanceof Readable ? content : Readable.from([Buffer.isBuffer(content) ? content : content.join('\n')])
    const onRowError = (error: RowError) => errors.push(error)
    const sorted = () => errors.sort((a, b) => a.line - b.line).map(({ line, reason }) => `${line}: ${reason}`)
    try {
      const figures = await importFile(this.owner, kind, stream, { onRowError, ...options })
      const { read, ...others } = figures
      expect(Object.values(others).reduce((sum, figure) => sum + figure)).toBe(read)
      expect(figures.rejected).toBe(errors.length)
      return { ...figures, errors: sorted() }
    } catch (error) {
      if (!(error instanceof FileError)) throw error
      const { figures, line, message } = error
      expect(figures.rejected + figures.not_stored).toBe(figures.read)
      return { ...figures, errors: [...sorted(), `${line ?? 'file'}: ${message}`] }
    }
  }

  async rows(query: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
    return (await this.owner.query(query, values)).rows
  }

  /** Deletes all rows but numbers of commits, without triggers. TRUNCATE would take sixty times as long, because it creates new files. */
  async clear(): Promise<void> {
    const tables = [...READ_TABLES, 'vendors'].filter(table => table !== 'transactions')
    await this.owner.query(withoutTriggers(...tables.map(table => `DELETE FROM ${table}`)))
  }

  /** Returns all stored days by asset, sensor and date. */
  days(): Promise<StoredDay[]> {
    return readStoredDays(this.owner)
  }

  /** Runs a command to its end. @param input standard input; none by default */
  run(args: readonly string[], input?: string): Promise<Ended> {
    return run(args, settingsOf(this.database), input)
  }

  /** Runs a command with --json. */
  runJson(args: readonly string[], input?: string): ReturnType<typeof runJson> {
    return runJson(args, settingsOf(this.database), input)
  }

  /** Executes a query with the scope of a key, without HTTP. */
  async query(key: string, source: string, variables: object = {}): Promise<ExecutionResult> {
    const reader = this.gateway.database.readerFor(keyHash(key))
    await reader.authenticate()
    const contextValue = new Context(reader, 0, { service: this.gateway })
    const result = await graphql({ schema, source, variableValues: { ...variables }, contextValue })
    return JSON.parse(JSON.stringify(result))
  }

  /** Returns the data of a query; errors fail the test. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  async graphql(key: string, source: string, variables: object = {}): Promise<any> {
    const { data, errors } = await this.query(key, source, variables)
    expect(errors).toBeUndefined()
    return data
  }

  /** Expects what is derived to be what follows from the rest. */
  async verify(): Promise<void> {
    const differences: unknown[] = []
    await verify(this.owner, async difference => void differences.push(difference))
    expect(differences).toEqual([])
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
  // Rows that are there in spite of an unknown key are returned as well.
  await reader.authenticate().catch(() => {})
  return result
}
