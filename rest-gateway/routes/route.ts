/**
 * A route serves one record: one path, one persisted query, one envelope. A request is a straight line: read the parameters,
 * authenticate and execute the query in one batch, shape the envelope, send.
 */
import type { Context as KoaContext } from 'koa'
import type { PresentedKey, ScopedReader } from '../../db/postgres/scoped-reader'
import { readCurrentVersion } from '../../db/queries/current-version'
import { type DataVersion, NO_PRECONDITION, type Precondition } from '../../db/queries/data-versions'
import { Context } from '../../resolvers/context'
import { DATA_VERSION, type VersionedResult } from '../../resolvers/rest-schema'
import { nextTurn } from '../../resolvers/turns'
import { ApiError } from '../../schema/errors'
import { readKey } from '../auth/api-key-header'
import { isCached, type Representation, send, sendNotModified, tagInTurns } from '../conditional/representation'
import { preconditionOf, resourceHash, validatorsOf } from '../conditional/version-tags'
import { formatsOf, listOf, rowsOfBody, writeAll } from '../formats/flat-list'
import { acceptedFormat, FLAT_FORMATS, outputParameter } from '../formats/formats'
import { sendStream } from '../formats/stream'
import type { Gateway } from '../gateway'
import { inOrder } from '../parameters/params'
import { RequestInput } from '../parameters/request-input'
import { joinPieces } from './join-pieces'
import { compilePersistedQuery } from './persisted-query'
import { dataOf } from './query-result'
import type { Route, RouteRecord } from './record'
import { serialize } from './serialize'

/** @throws Error when the record does not fit the schema, so that the service does not start */
export function compileRoute(record: RouteRecord): Route {
  const route = { ...record, ...compilePersistedQuery(record) }
  const { formats, columns } = formatsOf(route)
  const output = formats.length > 1 ? [outputParameter(formats)] : []
  const parameters = inOrder([...record.parameters, ...output])
  const queryNames = parameters.flatMap(parameter => (parameter.in === 'query' ? parameter.name : []))
  return { ...route, formats, columns, parameters, queryNames }
}

/** Serves a request to a route. Errors of its parameters are reported only if the key is valid. */
export async function handle(
  route: Route,
  gateway: Gateway,
  ctx: KoaContext,
  path: Record<string, string>,
): Promise<void> {
  const { cursors, rates } = gateway
  const keyHash = readKey(ctx, gateway.environment)
  const input = new RequestInput(route, cursors, path, ctx.querystring, () => acceptedFormat(ctx, route.formats))
  const resource = route.versioned ? resourceHash(gateway.release, `${ctx.url} ${input.format}`) : undefined
  const precondition = resource === undefined ? NO_PRECONDITION : preconditionOf(ctx, resource, gateway.now())
  const reader = gateway.database.readerFor(keyHash)
  const started = performance.now()
  const isExhausted = rates.isExhausted(keyHash)
  const version = isExhausted ? readVersion(reader, input, precondition) : undefined
  const result =
    input.error || isExhausted
      ? undefined
      : route.execute(new Context(reader, gateway.now(), precondition, turnOf(route, input), cursors), input.variables)
  const key = await reader.authenticate()
  ctx.state.databaseMs = performance.now() - started
  if (!key) throw new ApiError('INVALID_API_KEY')
  ctx.state.keyId = key.id
  if (isExhausted) {
    const unchanged = await version
    if (!unchanged?.matches) return rates.refuse(ctx, key)
    await rates.report(ctx, key)
    return sendNotModified(ctx, validatorsOf(unchanged, resource as string, gateway.now()))
  }

  let data: Record<string, unknown>
  let response: Response | undefined
  try {
    refuseRequest(route, input, key)
    data = dataOf(await result, route.errorsOfNodes)
    if (input.isStreamed) listOf(route).rows(data)
    else response = await respond(route, gateway, input, key, data, resource)
  } catch (error) {
    await rates.count(ctx, key, keyHash)
    throw error
  }
  if (response && (response.body === undefined || isCached(ctx, response.etag))) {
    await rates.report(ctx, key)
    return sendNotModified(ctx, response)
  }
  await rates.count(ctx, key, keyHash)
  if (!response) return sendStream({ route, gateway, ctx, input, key, keyHash }, data)
  setPageHeaders(ctx, input, response.pagination)
  send(ctx, response as Representation)
}

/**
 * Reads the version of the data for an exhausted key, which gets nothing but the confirmation that what it has cached is
 * current. Undefined without a precondition that a version could meet.
 */
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
function turnOf({ rowsPerNode }: Route, { variables }: RequestInput): typeof nextTurn | undefined {
  const rows = rowsPerNode ? rowsPerNode(variables) * (variables.limit as number) : 0
  return rows > MAX_ROWS_PER_TURN ? nextTurn : undefined
}

/** @throws ApiError for what the request or the key lacks */
function refuseRequest(route: Route, input: RequestInput, key: PresentedKey): void {
  if (route.scope && !key.scopes.includes(route.scope)) {
    throw new ApiError('INSUFFICIENT_SCOPE', { required_scope: route.scope })
  }
  if (input.error) throw input.error
}

/** Without a body where the precondition showed that the response has not changed. */
type Response = Omit<Representation, 'body'> & { body?: string | Buffer; pagination?: Pagination | undefined }

/** Of the body of a page. */
interface Pagination {
  cursor: string | null
  has_more: boolean
}

/** @throws ApiError NOT_FOUND */
async function respond(
  route: Route,
  { now }: Gateway,
  input: RequestInput,
  key: PresentedKey,
  data: Record<string, unknown>,
  resource: string | undefined,
): Promise<Response> {
  const shaped = route.envelope.shape(data, input, key)
  if (resource === undefined) {
    const written = await write(route, input, shaped)
    const etag = await tagInTurns(written.body)
    return { etag, ...written, pagination: (shaped as { pagination?: Pagination }).pagination }
  }
  const { [DATA_VERSION]: version, ...body } = shaped as VersionedResult
  const validators = validatorsOf(version, resource, now())
  return version.matches ? validators : { ...validators, ...(await write(route, input, body)) }
}

/** The body in the format of the request. */
async function write(
  route: Route,
  { format }: RequestInput,
  body: unknown,
): Promise<Pick<Representation, 'body' | 'contentType'>> {
  if (format === 'json') return { body: await joinPieces(serialize(body)) }
  const { writer, contentType } = FLAT_FORMATS[format]
  return { body: await joinPieces(writeAll(route.columns, rowsOfBody(body), writer)), contentType }
}

/** The address of the next page; in formats without room for it, the cursor. */
function setPageHeaders(ctx: KoaContext, { format }: RequestInput, pagination: Pagination | undefined): void {
  if (!pagination || pagination.cursor === null) return
  const { cursor, has_more } = pagination
  if (format !== 'json') ctx.res.setHeader('X-Next-Cursor', cursor)
  else if (has_more) {
    const query = new URLSearchParams(ctx.querystring)
    query.set('cursor', cursor)
    query.delete('since')
    ctx.res.setHeader('Link', `<${ctx.path}?${query}>; rel="next"`)
  }
}
