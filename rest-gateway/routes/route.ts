/**
 * A route is a record: one path, one fixed query, one envelope. Here are the record, its checks at boot, and the one
 * handler that serves them all: read the parameters, execute the query, shape the data, send the body.
 */
import { type DocumentNode, type ExecutionResult, type GraphQLSchema, parse, print, validate } from 'graphql'
import { compileQuery, isCompiledQuery } from 'graphql-jit'
import type { Context as KoaContext } from 'koa'
import { Context, NotModified } from '../../resolvers/context'
import { ApiError, type ErrorCode } from '../../schema/errors'
import { readKey } from '../auth/api-key-header'
import { heldOf, lastModifiedOf, nameOf, tagOfVersion } from '../conditional/data-versions'
import { isConditional, isHeld, type Representation, send, tagOf } from '../conditional/responses'
import type { Gateway } from '../gateway'
import type { Cursors } from './cursors'
import type { Envelope, EnvelopeRequest } from './envelopes'
import { inOrder, type Parameter, single } from './params'
import { type RowBytes, rowBytesOf, withRows } from './row-bytes'
import type { Tag } from './tags'

export interface RouteRecord {
  /** With `{id}` for a parameter in the path. */
  path: string
  /** The query's operation name; also the OpenAPI operationId, and the label in logs and metrics. */
  operation: string
  /** The group under which the documents tell of it. */
  tag: Tag
  /** One line. */
  summary: string
  /** What a caller should know besides, in Markdown. */
  description: string
  parameters: Parameter[]
  query: string
  envelope: Envelope
  /** What it can answer besides what its parameters and every route can. */
  errors?: ErrorCode[]
  /** A scope that the key must have. */
  scope?: string
  /** Told by the version of its data: who holds that is told so without reading it, and learns when it changed last. */
  versioned?: boolean
}

const NO_QUERY = new URLSearchParams()

export interface Route extends RouteRecord {
  document: DocumentNode
  /** Of a query that takes its rows as bytes. */
  rowBytes: RowBytes | undefined
  execute(context: Context, variables: Record<string, unknown>): Promise<ExecutionResult> | ExecutionResult
}

/** Checks a record against the schema and compiles its query. @throws Error when they do not fit, so that nothing starts */
export function compileRoute(schema: GraphQLSchema, record: RouteRecord): Route {
  const document = parse(record.query)
  const fault = (what: string) => new Error(`${record.operation} (${record.path}): ${what}`)
  const [invalid] = validate(schema, document)
  if (invalid) throw fault(invalid.message)
  const operation = document.definitions.find(definition => definition.kind === 'OperationDefinition')
  if (operation?.name?.value !== record.operation) throw fault('its query has another operation name')
  const variables = operation.variableDefinitions?.map(({ variable, type }) => `${variable.name.value}: ${print(type)}`)
  const parameters = record.parameters.map(({ name, type }) => `${name}: ${type}`)
  if (variables?.toSorted().join() !== parameters.toSorted().join()) {
    throw fault(`the variables of its query (${variables?.join()}) are not its parameters (${parameters.join()})`)
  }
  // Resolvers return exact types, and a test runs every query through graphql-js too: leaves need no second look.
  const compiled = compileQuery(schema, document, record.operation, {
    disableLeafSerialization: true,
  })
  if (!isCompiledQuery(compiled)) throw fault(compiled.errors?.[0]?.message ?? 'its query does not compile')
  return {
    ...record,
    parameters: inOrder(record.parameters),
    document,
    rowBytes: rowBytesOf(schema, document),
    execute: (context, values) => compiled.query(undefined, context, values) as Promise<ExecutionResult>,
  }
}

/** Answers a request to a route. What its parameters got wrong is told only once the key proved good. */
export async function handle(
  route: Route,
  gateway: Gateway,
  ctx: KoaContext,
  path: Record<string, string>,
): Promise<void> {
  const { cursors, rates } = gateway
  const keyHash = readKey(ctx, gateway.environment)
  const asked = new RequestInput(route, cursors, path, ctx.querystring)
  // What the caller may have already is looked at all the same: a 304 is not counted.
  const spent = rates.isSpent(keyHash) && !isConditional(ctx)
  const now = gateway.now()
  const name = route.versioned ? nameOf(gateway.release, ctx.url) : ''
  const held = route.versioned ? heldOf(ctx, name) : undefined
  let context: Context | undefined
  const began = performance.now()
  const { key, result } = await gateway.database.present(keyHash, door => {
    if (asked.fault || spent) return undefined
    context = new Context(door, now, held, route.rowBytes?.form)
    return route.execute(context, asked.variables)
  })
  ctx.state.databaseMs = performance.now() - began
  if (!key) throw new ApiError('INVALID_API_KEY')
  ctx.state.keyId = key.id
  if (spent) return rates.refuse(ctx, key)

  let representation: Representation
  let isKnown: boolean
  try {
    if (route.scope && !key.scopes.includes(route.scope)) {
      throw new ApiError('INSUFFICIENT_SCOPE', { required_scope: route.scope })
    }
    if (asked.fault) throw asked.fault
    const data = dataOf(await result)
    const body = data && bodyOf(route, route.envelope.shape(data, asked, key), context)
    const version = context?.version
    representation = version
      ? { etag: tagOfVersion(version, name), lastModified: lastModifiedOf(version, now), body }
      : { etag: tagOf(body as string | Buffer), body }
    isKnown = isHeld(ctx, representation)
  } catch (fault) {
    await rates.take(ctx, key, keyHash)
    throw fault
  }
  // An authorised 304 is not counted.
  if (isKnown) await rates.leave(ctx, key)
  else await rates.take(ctx, key, keyHash)
  send(ctx, representation, isKnown)
}

/** What a request asks of a route. */
class RequestInput implements EnvelopeRequest {
  readonly variables: Record<string, unknown> = {}
  /** What is wrong with the first faulty parameter. */
  readonly fault: unknown
  private readonly query: URLSearchParams

  constructor(
    private readonly route: Route,
    readonly cursors: Cursors,
    private readonly path: Record<string, string>,
    query: string,
  ) {
    this.query = query === '' ? NO_QUERY : new URLSearchParams(query)
    try {
      for (const parameter of route.parameters) {
        const { name } = parameter
        const text = parameter.in === 'path' ? path[name] : single(name, this.query.getAll(name))
        this.variables[name] = parameter.parse(text, this)
      }
    } catch (fault) {
      this.fault = fault
    }
  }

  /** A cursor is bound to the list and to whatever narrows it, which is all but the page itself. */
  get list(): string {
    const { route, path, query } = this
    const filters = route.parameters
      .filter(({ name }) => name !== 'limit' && name !== 'cursor')
      .map(({ name }) => [name, path[name] ?? query.get(name)])
    return JSON.stringify([route.operation, filters])
  }
}

function bodyOf({ rowBytes }: Route, shaped: unknown, context: Context | undefined): string | Buffer {
  const body = JSON.stringify(shaped)
  const bytes = context?.rowBytes
  return rowBytes && bytes ? withRows(body, rowBytes, bytes) : body
}

/** The data of an execution; undefined where the caller holds it already. @throws what its resolver threw */
function dataOf(result: ExecutionResult | undefined): Record<string, unknown> | undefined {
  const fault = result?.errors?.[0]?.originalError ?? result?.errors?.[0]
  if (fault instanceof NotModified) return undefined
  if (fault) throw fault
  if (!result?.data) throw new Error('a query came to nothing')
  return result.data
}
