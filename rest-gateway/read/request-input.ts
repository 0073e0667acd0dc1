/** The key of a request, whose validity is decided by the database, and its parameters, parsed into the variables of its route's query. */
import { type Environment, isWellFormed, KEY_PREFIXES, keyHash } from '../../db/api-keys/key-format'
import { nearestName } from '../../db/nearest-name'
import type { PresentedKey, ScopedReader } from '../../db/postgres/scoped-reader'
import { MAX_PAGE_SIZE } from '../../resolvers/limits/rows'
import { ApiError, invalidParameter } from '../../schema/errors'
import type { RateLimits } from '../edge/rates'
import { isLegacy } from '../paths'
import type { EnvelopeRequest, Format, Route } from '../record'
import { CONTENT_TYPES, JSON_TYPE, mediaTypeOf } from '../shape/write-rows'
import type { KoaContext } from '../state'
import type { Cursors } from './cursors'
import { missing, single } from './params'

/** Returns the hash of the presented key. @throws ApiError MISSING_API_KEY, WRONG_ENVIRONMENT, INVALID_API_KEY */
export function readKey(ctx: KoaContext, environment: Environment): Buffer {
  const key = ctx.req.headers['x-api-key'] as string | undefined
  if (key === undefined) throw new ApiError('MISSING_API_KEY')
  // Node joins repeated headers with commas.
  if (key.includes(',')) throw new ApiError('INVALID_API_KEY')
  const prefix = KEY_PREFIXES[environment]
  if (key.startsWith(KEY_PREFIXES[environment === 'dev' ? 'production' : 'dev'])) {
    throw new ApiError('WRONG_ENVIRONMENT', { expected_prefix: prefix })
  }
  if (!key.startsWith(prefix) || !isWellFormed(key)) throw new ApiError('INVALID_API_KEY')
  return keyHash(key)
}

/** Authenticates a request, and counts it against the rate of its key. @throws ApiError INVALID_API_KEY, RATE_LIMITED */
export async function authenticate(
  ctx: KoaContext,
  reader: ScopedReader,
  rates: RateLimits,
  keyHash: Buffer,
): Promise<PresentedKey> {
  const key = await reader.authenticate()
  ctx.state.key = key
  await rates.count(ctx, key, keyHash)
  return key
}

const NO_QUERY = new URLSearchParams()

export class RequestInput implements EnvelopeRequest {
  readonly variables: Record<string, unknown> = {}
  /** JSON where the requested format is not available, which is an error. */
  readonly format: Format
  /** Whether the whole list is sent in one response. */
  readonly isStreamed: boolean = false
  /** The error of the first invalid parameter. It is reported once the key is known to be valid. */
  readonly error: unknown
  private readonly query: URLSearchParams

  /** @param ctx the request, whose Accept may ask for a format; JSON without one */
  constructor(
    private readonly route: Route,
    readonly cursors: Cursors,
    private readonly path: Record<string, string>,
    query: string,
    ctx?: KoaContext,
  ) {
    this.query = query === '' ? NO_QUERY : new URLSearchParams(query)
    this.format = 'json'
    try {
      const [output] = route.formats.length > 1 ? this.query.getAll('output') : []
      this.format =
        output === undefined
          ? acceptedFormat(route.formats, ctx)
          : (route.formats.find(format => format === output) ?? 'json')
      this.isStreamed = this.format !== 'json' && route.envelope.list?.next !== undefined
      this.refuseUnknown()
      for (const parameter of route.parameters) {
        const { name } = parameter
        const text = parameter.in === 'path' ? path[name] : single(name, this.query.getAll(name))
        if (this.isStreamed && PAGE.includes(name) && text !== undefined) {
          throw invalidParameter(name, text, `left out with the format ${this.format}, which returns the whole list`)
        }
        if (text === undefined && parameter.required) throw missing(name)
        this.variables[name] = text === undefined ? (parameter.defaultValue ?? null) : parameter.parse(text, this)
      }
      if (this.isStreamed) this.variables.limit = batchLimit(route, this.variables)
      route.check?.(this.variables, this.format)
    } catch (error) {
      this.error = error
    }
  }

  /** Returns the text to which a cursor is bound: the list with everything that narrows it. */
  get list(): string {
    const { route, path, query } = this
    const filters = route.parameters.flatMap(({ name, paging }) => {
      const value = paging ? null : (path[name] ?? query.get(name))
      return value === null ? [] : [[name, value]]
    })
    return JSON.stringify([route.operation, filters])
  }

  /** @throws ApiError for a parameter that the route does not have. The frozen interface ignores those. */
  private refuseUnknown(): void {
    const { path, queryNames: known } = this.route
    if (isLegacy(path)) return
    for (const name of this.query.keys()) {
      if (known.includes(name)) continue
      const nearest = nearestName(name, known)
      const expected = known.length > 0 ? `one of ${known.join(', ')}` : 'no parameters'
      throw new ApiError(
        'INVALID_PARAMETER',
        { parameter: name, expected, ...(nearest !== undefined && { did_you_mean: nearest }) },
        `The parameter ${JSON.stringify(name.slice(0, MAX_SHOWN))} is unknown. ${nearest === undefined ? `Expected: ${expected}.` : `Did you mean ${nearest}?`}`,
      )
    }
  }
}

const PAGE = ['limit', 'cursor']

const MAX_SHOWN = 100

/** Rows that are read at once of a whole list. */
const BATCH_ROWS = 10_000

function batchLimit({ rowsPerNode }: Route, variables: Record<string, unknown>): number {
  return Math.max(1, Math.min(MAX_PAGE_SIZE, Math.floor(BATCH_ROWS / (rowsPerNode?.(variables) ?? 1))))
}

/** Returns the format that Accept asks for; the frozen interface ignores it. @throws ApiError NOT_ACCEPTABLE */
export function acceptedFormat(formats: readonly Format[], ctx: KoaContext | undefined): Format {
  const accept = ctx?.req.headers.accept
  if (!ctx || accept === undefined || accept === '*/*' || accept === JSON_TYPE || isLegacy(ctx.path)) return 'json'
  // Clients may send the Content-Type of a response, with its parameters, in Accept.
  const contentTypes = formats.map(format => CONTENT_TYPES[format])
  const accepted = ctx.accepts(contentTypes)
  if (accepted === false) {
    const types = formats.map(mediaTypeOf)
    throw new ApiError(
      'NOT_ACCEPTABLE',
      { available: types },
      `Accept allows none of the formats of this route: ${types.join(', ')}.`,
    )
  }
  return formats[contentTypes.indexOf(accepted as string)]!
}
