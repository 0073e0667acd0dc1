/**
 * A route serves one record: one path, one persisted query, one envelope. A request is a straight line: read the parameters,
 * authenticate and execute the query in one batch, shape the envelope, send.
 */
import type { ExecutionResult } from 'graphql'
import type { PresentedKey, ScopedReader } from '../../db/postgres/scoped-reader'
import { readCurrentVersion } from '../../db/queries/current-version'
import { type DataVersion, NO_PRECONDITION, type Precondition } from '../../db/queries/data-versions'
import { Context } from '../../resolvers/context'
import { DATA_VERSION, type VersionedResult } from '../../resolvers/rest-schema'
import { nextTurn } from '../../resolvers/turns'
import { ApiError } from '../../schema/errors'
import {
  isCached,
  type Representation,
  send,
  sendNotModified,
  tagInTurns,
  type Validators,
} from '../conditional/representation'
import { createValidators } from '../conditional/version-tags'
import type { Column } from '../formats/columns'
import { determineFormats, readColumns, rowsOfBody, writeAll } from '../formats/flat-list'
import { FLAT_FORMATS } from '../formats/formats'
import { sendStream } from '../formats/stream'
import type { Gateway } from '../gateway'
import { formatParameters } from '../parameters/choices'
import { inOrder } from '../parameters/params'
import type { RequestInput } from '../parameters/request-input'
import { serviceUrl } from '../service-url'
import type { Context as KoaContext } from '../state'
import { joinPieces } from './join-pieces'
import { compilePersistedQuery } from './persisted-query'
import { readData } from './query-result'
import type { Route, RouteRecord } from './record'
import { type RouteRequest, readRequest } from './route-request'
import { serialize } from './serialize'

/** @throws Error when the record does not fit the schema, so that the service does not start */
export function compileRoute(record: RouteRecord): Route {
  const route = { ...record, ...compilePersistedQuery(record) }
  const { formats, columns } = determineFormats(route)
  const parameters = inOrder([...record.parameters, ...formatParameters(formats)])
  const queryNames = parameters.flatMap(parameter => (parameter.in === 'query' ? parameter.name : []))
  return { ...route, formats, columns, parameters, queryNames }
}

/** Serves a request in four stages. Errors of its parameters are reported only if the key is valid. */
export async function handle(
  route: Route,
  gateway: Gateway,
  ctx: KoaContext,
  path: Record<string, string>,
): Promise<void> {
  const { stages } = ctx.state
  stages.begin('read')
  const request = readRequest(route, gateway, ctx, path)
  stages.begin('execute')
  const execution = await authenticateAndExecute(request)
  stages.begin('shape')
  const response = await shapeResponse(request, execution)
  stages.begin('send')
  await sendResponse(request, execution.key, response)
}

/**
 * Reads the body of a route for a caller who gets it within another response, and whose request was counted.
 *
 * @throws ApiError
 */
export async function readBody(
  route: Route,
  gateway: Gateway,
  ctx: KoaContext,
  keyHash: Buffer,
  input: RequestInput,
): Promise<unknown> {
  const { stages } = ctx.state
  stages.begin('execute')
  const request = { route, gateway, ctx, keyHash, input, resource: undefined, precondition: NO_PRECONDITION }
  const { key, result } = await authenticateAndExecute({ ...request, isExhausted: false })
  stages.begin('shape')
  refuseRequest(route, input, key)
  const shaped = route.envelope.shape(readData(result, route.errorsOfNodes), input, key)
  return route.versioned ? splitVersion(shaped).body : shaped
}

interface Execution {
  key: PresentedKey
  /** Undefined where the query was not executed. */
  result?: ExecutionResult | undefined
  /** The version of the data, which alone is read for an exhausted key. */
  version?: DataVersion | undefined
  /** The columns of the response, where they depend on the data. */
  columns?: Column[] | undefined
}

/** @throws ApiError INVALID_API_KEY */
async function authenticateAndExecute(request: RouteRequest): Promise<Execution> {
  const { route, gateway, ctx, keyHash, input, precondition, isExhausted } = request
  const reader = gateway.database.readerFor(keyHash, ctx.state.reads)
  const version = isExhausted ? readVersion(reader, input, precondition) : undefined
  const result =
    input.error || isExhausted
      ? undefined
      : route.execute(
          new Context(reader, gateway.now(), precondition, chooseTurn(route, input), gateway),
          input.variables,
        )
  const columns = result && readColumns(reader, route.columns, input.format)
  const key = await reader.authenticate()
  if (!key) throw new ApiError('INVALID_API_KEY')
  ctx.state.keyId = key.id
  return { key, result: await result, version: await version, columns: await columns }
}

/** Reads the version of the data. Undefined without a precondition that a version could meet. */
function readVersion(
  reader: ScopedReader,
  { error, variables: { id, from_date, to_date } }: RequestInput,
  precondition: Precondition,
): Promise<DataVersion | undefined> | undefined {
  if (error || (precondition.version === null && precondition.unchangedSince === null)) return undefined
  const version = readCurrentVersion(reader, id as string, [from_date as string, to_date as string], precondition)
  // It is awaited once the key is known to be valid.
  version.catch(() => {})
  return version
}

/** Series of fewer rows are added up in one turn. */
const MAX_ROWS_PER_TURN = 5_000

/** Returns the turn that loads of many assets wait for; undefined for few rows. */
function chooseTurn({ rowsPerNode }: Route, { variables }: RequestInput): typeof nextTurn | undefined {
  const rows = rowsPerNode ? rowsPerNode(variables) * (variables.limit as number) : 0
  return rows > MAX_ROWS_PER_TURN ? nextTurn : undefined
}

type Response =
  /** The key has used up its rate. */
  | { kind: 'refused' }
  | { kind: 'error'; error: unknown }
  | { kind: 'not-modified'; validators: Validators }
  /** The whole of a list, of which the first batch was read. */
  | { kind: 'stream'; request: RouteRequest; data: Record<string, unknown> }
  | { kind: 'body'; representation: Representation; pagination: Pagination | undefined }

/** The pagination in the body of a page. */
interface Pagination {
  cursor: string | null
  has_more: boolean
}

async function shapeResponse(asked: RouteRequest, { key, result, version, columns }: Execution): Promise<Response> {
  const request = columns ? { ...asked, route: { ...asked.route, columns } } : asked
  const { route, gateway, input, resource, isExhausted } = request
  if (isExhausted) {
    if (!version?.matches) return { kind: 'refused' }
    return { kind: 'not-modified', validators: createValidators(version, resource!, gateway.now()) }
  }
  try {
    refuseRequest(route, input, key)
    const data = readData(result, route.errorsOfNodes)
    if (!input.isStreamed) return await shapeBody(request, route.envelope.shape(data, input, key))
    // Reports errors before the response begins.
    route.envelope.list!.rows(data)
    return { kind: 'stream', request, data }
  } catch (error) {
    return { kind: 'error', error }
  }
}

/** @throws ApiError for what the request or the key lacks */
function refuseRequest(route: Route, input: RequestInput, key: PresentedKey): void {
  if (route.scope && !key.scopes.includes(route.scope)) {
    throw new ApiError('INSUFFICIENT_SCOPE', { required_scope: route.scope })
  }
  if (input.error) throw input.error
}

async function shapeBody({ route, gateway, ctx, input, resource }: RouteRequest, shaped: unknown): Promise<Response> {
  let body = shaped
  let validators: Validators | undefined
  if (resource !== undefined) {
    const { version, ...rest } = splitVersion(shaped)
    validators = createValidators(version, resource, gateway.now())
    if (version.matches) return { kind: 'not-modified', validators }
    body = rest.body
  }
  const written = await writeBody(route, input, body)
  validators ??= { etag: await tagInTurns(written.body) }
  if (isCached(ctx, validators.etag)) return { kind: 'not-modified', validators }
  const { pagination } = body as { pagination?: Pagination }
  return { kind: 'body', representation: { ...validators, ...written }, pagination }
}

function splitVersion(shaped: unknown): { version: DataVersion; body: object } {
  const { [DATA_VERSION]: version, ...body } = shaped as VersionedResult
  return { version, body }
}

/** Returns the body in the format of the request. */
async function writeBody(
  route: Route,
  { format }: RequestInput,
  body: unknown,
): Promise<Pick<Representation, 'body' | 'contentType'>> {
  if (format === 'json') return { body: await joinPieces(serialize(body)) }
  const { writer, contentType } = FLAT_FORMATS[format]
  return { body: await joinPieces(writeAll(route.columns, rowsOfBody(body), writer)), contentType }
}

/** Charges the request, and sends the response. @throws ApiError RATE_LIMITED, or the error of the response */
async function sendResponse(request: RouteRequest, key: PresentedKey, response: Response): Promise<void> {
  const { ctx, keyHash, gateway } = request
  const { rates } = gateway
  if (response.kind === 'refused') return rates.refuse(ctx, key)
  if (response.kind === 'not-modified') {
    await rates.report(ctx, key)
    return sendNotModified(ctx, response.validators)
  }
  await rates.count(ctx, key, keyHash)
  if (response.kind === 'error') throw response.error
  if (response.kind === 'stream') return sendStream(response.request, key, response.data)
  setPageHeaders(request, response.pagination)
  send(ctx, response.representation)
}

/** The address of the next page; in formats without room for it, the cursor. */
function setPageHeaders({ ctx, gateway, input }: RouteRequest, pagination: Pagination | undefined): void {
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
