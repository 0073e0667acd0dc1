/** Reads a request to a route: its key, its parameters, and the version of the response that the client has cached. */
import { NO_PRECONDITION, type Precondition } from '../../db/queries/data-versions'
import { readKey } from '../auth/api-key-header'
import { readPrecondition, resourceHash } from '../conditional/version-tags'
import { acceptedFormat } from '../formats/formats'
import type { Gateway } from '../gateway'
import { RequestInput } from '../parameters/request-input'
import type { Context as KoaContext } from '../state'
import type { Route } from './record'

export interface RouteRequest {
  route: Route
  gateway: Gateway
  ctx: KoaContext
  keyHash: Buffer
  input: RequestInput
  /** Identifies what is requested, where its data have a version. */
  resource: string | undefined
  precondition: Precondition
  /** Whether the key has used up its rate. It gets nothing but the confirmation that what it has cached is current. */
  isExhausted: boolean
}

/** @throws ApiError for a key that is missing or malformed */
export function readRequest(
  route: Route,
  gateway: Gateway,
  ctx: KoaContext,
  path: Record<string, string>,
): RouteRequest {
  const { cursors, environment, rates, release } = gateway
  const keyHash = readKey(ctx, environment)
  const input = new RequestInput(route, cursors, path, ctx.querystring, () => acceptedFormat(ctx, route.formats))
  const resource = route.versioned ? resourceHash(release, `${ctx.url} ${input.format}`) : undefined
  const precondition = resource === undefined ? NO_PRECONDITION : readPrecondition(ctx, resource, gateway.now())
  return { route, gateway, ctx, keyHash, input, resource, precondition, isExhausted: rates.isExhausted(keyHash) }
}
