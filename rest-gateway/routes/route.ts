/**
 * A route serves one record: one path, one persisted query, one envelope. A request is a straight line: read the parameters,
 * authenticate and execute the query in one batch, shape the envelope, send.
 */
import type { ExecutionResult } from 'graphql'
import type { Context as KoaContext } from 'koa'
import type { PresentedKey } from '../../db/postgres/scoped-reader'
import { Context } from '../../resolvers/context'
import { DATA_VERSION, type VersionedResult } from '../../resolvers/rest-schema'
import { ApiError } from '../../schema/errors'
import { readKey } from '../auth/api-key-header'
import {
  isCached,
  isConditional,
  type Representation,
  send,
  sendNotModified,
  tagOf,
} from '../conditional/representation'
import { preconditionOf, resourceHash, validatorsOf } from '../conditional/version-tags'
import type { Gateway } from '../gateway'
import { inOrder } from './params'
import { compilePersistedQuery } from './persisted-query'
import type { Route, RouteRecord } from './record'
import { RequestInput } from './request-input'
import { serialize } from './serialize'

/** @throws Error when the record does not fit the schema, so that the service does not start */
export const compileRoute = (record: RouteRecord): Route => ({
  ...record,
  ...compilePersistedQuery(record),
  parameters: inOrder(record.parameters),
})

/** Serves a request to a route. Errors of its parameters are reported only if the key is valid. */
export async function handle(
  route: Route,
  gateway: Gateway,
  ctx: KoaContext,
  path: Record<string, string>,
): Promise<void> {
  const { cursors, rates } = gateway
  const keyHash = readKey(ctx, gateway.environment)
  const input = new RequestInput(route, cursors, path, ctx.querystring)
  // An exhausted key reads nothing, except that a response which has not changed is not counted.
  const isExhausted = rates.isExhausted(keyHash) && !isConditional(ctx)
  const resource = route.versioned ? resourceHash(gateway.release, ctx.url) : undefined
  const reader = gateway.database.readerFor(keyHash)
  const started = performance.now()
  const result =
    input.error || isExhausted
      ? undefined
      : route.execute(
          new Context(
            reader,
            gateway.now(),
            resource === undefined ? undefined : preconditionOf(ctx, resource, gateway.now()),
          ),
          input.variables,
        )
  const key = await reader.authenticate()
  ctx.state.databaseMs = performance.now() - started
  if (!key) throw new ApiError('INVALID_API_KEY')
  ctx.state.keyId = key.id
  if (isExhausted) return rates.refuse(ctx, key)

  let response: Response
  try {
    response = await respond(route, gateway, input, key, result, resource)
  } catch (error) {
    await rates.count(ctx, key, keyHash)
    throw error
  }
  if (response.body === undefined || isCached(ctx, response.etag)) {
    await rates.report(ctx, key)
    return sendNotModified(ctx, response)
  }
  await rates.count(ctx, key, keyHash)
  send(ctx, response as Representation)
}

/** Without a body where the precondition showed that the response has not changed. */
type Response = Omit<Representation, 'body'> & { body?: string | Buffer }

/** @throws ApiError for what the request or the key lacks */
async function respond(
  route: Route,
  { now }: Gateway,
  input: RequestInput,
  key: PresentedKey,
  result: ReturnType<Route['execute']> | undefined,
  resource: string | undefined,
): Promise<Response> {
  if (route.scope && !key.scopes.includes(route.scope)) {
    throw new ApiError('INSUFFICIENT_SCOPE', { required_scope: route.scope })
  }
  if (input.error) throw input.error
  const shaped = route.envelope.shape(dataOf(await result), input, key)
  if (resource === undefined) {
    const body = serialize(shaped)
    return { etag: tagOf(body), body }
  }
  const { [DATA_VERSION]: version, ...body } = shaped as VersionedResult
  const validators = validatorsOf(version, resource, now())
  return version.matches ? validators : { ...validators, body: serialize(body) }
}

/** @throws the error of a resolver */
function dataOf(result: ExecutionResult | undefined): Record<string, unknown> {
  const error = result?.errors?.[0]
  if (error) throw error.originalError ?? error
  if (!result?.data) throw new Error('a query returned neither data nor errors')
  return result.data
}
