/**
 * A request to a route is a straight line: read the parameters, authenticate and execute the persisted query in one batch, shape the
 * envelope, send. A route serves one record: one path, one persisted query, one envelope.
 */
import type { ExecutionResult } from 'graphql'
import type { PresentedKey, ScopedReader } from '../db/postgres/scoped-reader'
import { readSystems } from '../db/queries/assets'
import { Context } from '../resolvers/context'
import { MAX_FLAT_ROWS, MAX_JSON_ROWS } from '../resolvers/limits/rows'
import { nextTurn } from '../resolvers/turns'
import { ApiError, type ErrorCode } from '../schema/errors'
import type { Gateway } from './gateway'
import { compilePersistedQuery } from './persisted-query'
import { formatParameters } from './read/choices'
import { inOrder } from './read/params'
import { authenticate, RequestInput, readKey } from './read/request-input'
import type { Column, Data, FlatFormat, Route, RouteRecord } from './record'
import { createTag, type Representation, send } from './send'
import { serviceUrl } from './service-url'
import { listColumns, nameColumns } from './shape/columns'
import { CONTENT_TYPES, joinChunks, writeRows } from './shape/write-rows'
import type { KoaContext } from './state'
import { sendStream } from './stream'

/** @throws Error when the record does not fit the schema, so that the service does not start */
export function compileRoute(record: RouteRecord): Route {
  const query = compilePersistedQuery(record)
  const { formats, columns } = listColumns(record, query.document)
  const parameters = inOrder([...record.parameters, ...formatParameters(formats)])
  const queryNames = parameters.flatMap(parameter => (parameter.in === 'query' ? parameter.name : []))
  return { ...record, ...query, formats, columns, parameters, queryNames }
}

/** A request whose key and parameters were read. */
interface RouteRequest {
  route: Route
  gateway: Gateway
  ctx: KoaContext
  keyHash: Buffer
  input: RequestInput
}

/** Serves a request. Errors of its parameters are reported only if the key is valid. */
export async function serveRoute(
  route: Route,
  gateway: Gateway,
  ctx: KoaContext,
  path: Record<string, string>,
): Promise<void> {
  const { stages } = ctx.state
  stages.begin('read')
  const keyHash = readKey(ctx, gateway.environment)
  const input = new RequestInput(route, gateway.cursors, path, ctx.querystring, ctx)
  const request = { route, gateway, ctx, keyHash, input }
  stages.begin('execute')
  const { key, data, columns } = await execute(request, reader => authenticate(ctx, reader, gateway.rates, keyHash))
  stages.begin('shape')
  if (input.isStreamed) {
    const batches = readBatches(request, data)
    stages.begin('send')
    return sendStream({ ctx, gateway, key, keyHash, format: input.format as FlatFormat, columns }, batches)
  }
  const body = route.envelope.shape(data, input, key)
  const representation = await writeBody(request, body, columns)
  stages.begin('send')
  if (send(ctx, representation)) setPageHeaders(request, body)
}

/**
 * Reads the body of a route for a caller who gets it within another response, and whose request was counted.
 *
 * @throws ApiError
 */
export async function readRoute(
  route: Route,
  gateway: Gateway,
  ctx: KoaContext,
  keyHash: Buffer,
  input: RequestInput,
): Promise<object> {
  const { stages } = ctx.state
  stages.begin('execute')
  const { key, data } = await execute({ route, gateway, ctx, keyHash, input }, reader => reader.authenticate())
  stages.begin('shape')
  return route.envelope.shape(data, input, key)
}

interface Execution {
  key: PresentedKey
  data: Data
  /** The columns of the response in formats other than JSON. */
  columns: readonly Column[]
}

/** @throws ApiError for a key that is unknown or has used up its rate, for what the request lacks, and the errors of resolvers */
async function execute(
  request: RouteRequest,
  authenticateKey: (reader: ScopedReader) => Promise<PresentedKey>,
): Promise<Execution> {
  const { route, gateway, ctx, keyHash, input } = request
  const reader = gateway.database.readerFor(keyHash, ctx.state.reads, undefined, ctx.state.lease)
  const run = () => route.execute(undefined, createContext(request, reader), input.variables)
  // Reading for an exhausted key would be wasted.
  const result = input.error || gateway.rates.isExhausted(keyHash) ? undefined : run()
  const key = await authenticateKey(reader)
  if (route.scope && !key.scopes.includes(route.scope)) {
    throw new ApiError('INSUFFICIENT_SCOPE', { required_scope: route.scope })
  }
  if (input.error) throw input.error
  // The window of an exhausted key may have ended meanwhile.
  const data = readData(await (result ?? run()), route.errorsOfNodes)
  const hasNames = input.format !== 'json' && route.columns.some(({ isObject }) => isObject)
  return { key, data, columns: hasNames ? nameColumns(route.columns, await readSystems(reader)) : route.columns }
}

/**
 * Returns the data of an executed query.
 *
 * @param errorsOfNodes codes of errors that are part of the data, in place of the value that failed
 * @throws the first other error of a resolver
 */
function readData(result: ExecutionResult, errorsOfNodes: readonly ErrorCode[] = []): Data {
  const { data, errors = [] } = result
  for (const error of errors) {
    const { originalError, path } = error
    const isOfNode = originalError instanceof ApiError && errorsOfNodes.includes(originalError.code)
    if (!isOfNode || !data || !path) throw originalError ?? error
    const parent = path.slice(0, -1).reduce((value, key) => (value as Data)[key], data as unknown)
    ;(parent as Data)[path.at(-1) as string] = originalError
  }
  if (!data) throw new Error('a query returned neither data nor errors')
  return data
}

/** Series of fewer rows are added up in one turn. */
const MAX_ROWS_PER_TURN = 5_000

/** Loads of many rows wait for turns of the event loop. */
function createContext({ route: { rowsPerNode }, gateway, input }: RouteRequest, reader: ScopedReader): Context {
  const { format, variables } = input
  const rows = rowsPerNode ? rowsPerNode(variables) * (variables.limit as number) : 0
  return new Context(reader, gateway.now(), {
    nextTurn: rows > MAX_ROWS_PER_TURN ? nextTurn : undefined,
    service: gateway,
    maxRows: format === 'json' ? MAX_JSON_ROWS : MAX_FLAT_ROWS,
  })
}

/** A longer text is encoded once. */
const MIN_BUFFER_LENGTH = 4_000

/** A longer body is hashed in a turn of its own. */
const MAX_BYTES_PER_TURN = 1_000_000

async function writeBody(
  { input: { format } }: RouteRequest,
  shaped: object,
  columns: readonly Column[],
): Promise<Representation> {
  const isJson = format === 'json'
  const { data } = shaped as { data: readonly object[] }
  const text = isJson ? JSON.stringify(shaped) : await joinChunks(writeRows(format, columns, [data]))
  if (text.length > MAX_BYTES_PER_TURN) await nextTurn()
  // Text is encoded where its length is counted, where it is hashed, and where it is sent.
  const body = text.length > MIN_BUFFER_LENGTH && typeof text === 'string' ? Buffer.from(text) : text
  return { body, etag: createTag(body), contentType: CONTENT_TYPES[format] }
}

/** Sets the address of the next page; in formats without room for it, the cursor. */
function setPageHeaders({ ctx, gateway, input }: RouteRequest, body: object): void {
  const { pagination } = body as { pagination?: { cursor: string | null; has_more: boolean } }
  if (!pagination || pagination.cursor === null) return
  const { cursor, has_more } = pagination
  if (input.format !== 'json') ctx.res.setHeader('X-Next-Cursor', cursor)
  else if (has_more) {
    const query = new URLSearchParams(ctx.querystring)
    query.set('cursor', cursor)
    query.delete('since')
    ctx.res.setHeader('Link', `<${serviceUrl(ctx, gateway) ?? ''}${ctx.path}?${query}>; rel="next"`)
  }
}

/**
 * Returns the rows of a whole list in batches, of which the first was read. Each other is a short read of its own, which waits for a
 * connection in turn like a request.
 *
 * @throws ApiError of the first batch
 */
function readBatches(request: RouteRequest, first: Data): AsyncIterable<readonly object[]> {
  const { rows, next } = request.route.envelope.list!
  return followBatches(rows(first), next(first))

  async function* followBatches(batch: readonly object[], last: string | null) {
    yield batch
    for (let after = last; after !== null; ) {
      const data = await readBatch(request, after)
      yield rows(data)
      after = next(data)
    }
  }
}

/** Reads the batch behind an id. @throws ApiError */
async function readBatch(request: RouteRequest, last: string): Promise<Data> {
  const { route, gateway, ctx, input, keyHash } = request
  const lease = await gateway.database.queue.acquire(ctx.state.caller, ctx.res)
  if (!lease) throw new ApiError('UNAVAILABLE')
  try {
    const reader = gateway.database.readerFor(keyHash, undefined, undefined, lease)
    const result = route.execute(undefined, createContext(request, reader), { ...input.variables, cursor: last })
    await reader.authenticate()
    return readData(await result, route.errorsOfNodes)
  } finally {
    lease.release()
  }
}
