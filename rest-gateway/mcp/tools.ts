/** The partner routes as tools: their names, descriptions and schemas come from the records, their results from the routes. */
import { snakeCase } from '../../db/assets/attributes'
import { ApiError } from '../../schema/errors'
import type { Gateway } from '../gateway'
import { isLegacy } from '../middleware/deprecation'
import { errorBody } from '../middleware/error-handler'
import { MAX_URL_BYTES } from '../middleware/request-target'
import { cursor, invalid, missing } from '../parameters/params'
import { RequestInput } from '../parameters/request-input'
import { joinPieces } from '../routes/join-pieces'
import type { Route, RouteRecord } from '../routes/record'
import { readBody } from '../routes/route'
import { serialize } from '../routes/serialize'
import type { Context } from '../state'
import { listTools } from './list-tools'
import { type Read, readPart, type Texts } from './parts'
import { MAX_ENVELOPE } from './revisions'

/** A result has fewer characters. */
const MAX_RESULT = 50_000

/** Characters for `meta` with a cursor, units, the time zone, and what is around a result. */
const RESERVED = 4_000 + MAX_ENVELOPE

/** A name has no more characters beside a result. */
const MAX_NAME = 100

/** A text in an error has no more characters. */
const MAX_ERROR_TEXT = 1_000

/** An argument has no more characters than a URL may have. */
const MAX_ARGUMENT = MAX_URL_BYTES

/** Statuses of errors that the assistant can correct. All others end the request, as on other routes. */
const CORRECTABLE = [400, 403, 404, 410]

export class Tools {
  private readonly routes: ReadonlyMap<string, Route>
  private listed: string | undefined

  constructor(
    private readonly gateway: Gateway,
    routes: readonly Route[],
  ) {
    this.routes = new Map(routes.filter(({ path }) => !isLegacy(path)).map(route => [toolName(route), asTool(route)]))
  }

  /** The result of `tools/list`, as JSON. */
  get list(): string {
    this.listed ??= listTools(this.routes)
    return this.listed
  }

  /** Returns the result of a tool as JSON; undefined where there is no such tool. @throws ApiError */
  async call(name: unknown, values: unknown, ctx: Context, keyHash: Buffer): Promise<string | undefined> {
    const route = this.routes.get(name as string)
    if (!route) return undefined
    ctx.state.tool = name as string
    try {
      const given = readArguments(route, values)
      const read = (texts: Texts, of = route) => {
        const input = new RequestInput(of, this.gateway.cursors, texts.path, texts.query.toString())
        return readBody(of, this.gateway, ctx, keyHash, input)
      }
      const body = await readPart(route, given, MAX_RESULT - RESERVED, this.gateway.cursors, read)
      const notes = [describeUnits(body), await this.describeZone(route, given, read)].filter(Boolean).join(' ')
      const texts = JSON.stringify([body, notes].filter(Boolean).map(text => ({ type: 'text', text })))
      return `{"content":${texts},"structuredContent":${body}}`
    } catch (error) {
      if (!(error instanceof ApiError && CORRECTABLE.includes(error.status))) throw error
      ctx.state.errorCode = error.code
      const text = JSON.stringify(errorBody(route.path, error), (_, value) =>
        typeof value === 'string' && value.length > MAX_ERROR_TEXT ? `${value.slice(0, MAX_ERROR_TEXT)}…` : value,
      )
      return JSON.stringify({ content: [{ type: 'text', text }], isError: true })
    }
  }

  /** Tells the zone of the days and times of a result. */
  private async describeZone({ path, parameters }: Route, { path: { id } }: Texts, read: Read): Promise<string> {
    if (!parameters.some(({ name }) => name === 'from_date')) return ''
    if (!path.includes('{id}')) return 'Days are local ones of each asset; list_assets has its `time_zone`.'
    const asset = await read({ path: { id: id! }, query: new URLSearchParams() }, this.routes.get('read_asset')!)
    const { name, time_zone } = JSON.parse((await joinPieces(serialize(asset))).toString())
    return `Days and times are local ones of the asset ${JSON.stringify(name.slice(0, MAX_NAME))}: ${time_zone}.`
  }
}

/** Returns the name of a route's tool, such as `list_assets`. */
export const toolName = ({ operation }: RouteRecord): string => snakeCase(operation).slice(1)

/** Returns a route in JSON alone, since assistants read no other format, and with a cursor: every long result is cut. */
function asTool(route: Route): Route {
  const own = route.parameters.filter(({ name }) => name !== 'output')
  const parameters = own.includes(cursor) ? own : [...own, cursor]
  const queryNames = parameters.flatMap(parameter => (parameter.in === 'query' ? parameter.name : []))
  return { ...route, parameters, queryNames, formats: ['json'] }
}

/** @throws ApiError INVALID_PARAMETER */
function readArguments({ parameters }: Route, values: unknown): Texts {
  const given = values ?? {}
  if (typeof given !== 'object' || Array.isArray(given)) throw invalid('arguments', typeof given, 'an object')
  const unknown = firstUnknown(given, new Set(parameters.map(({ name }) => name)))
  // It is refused as in a URL, before the values of others are looked at.
  if (unknown !== undefined) return { path: {}, query: new URLSearchParams([[unknown, '']]) }
  const texts: Texts = { path: {}, query: new URLSearchParams() }
  for (const [name, value] of Object.entries(given)) {
    if (value === null) continue
    if ((typeof value !== 'string' && typeof value !== 'number') || !isText(`${value}`)) {
      throw invalid(name, JSON.stringify(value).slice(0, 100), 'a text or a number')
    }
    if (`${value}`.length > MAX_ARGUMENT) {
      throw invalid(name, `${value}`.slice(0, 100), `a text of at most ${MAX_ARGUMENT} characters`)
    }
    if (parameters.some(parameter => parameter.name === name && parameter.in === 'path')) texts.path[name] = `${value}`
    else texts.query.set(name, `${value}`)
  }
  const lacking = parameters.find(parameter => parameter.in === 'path' && !texts.path[parameter.name])
  if (lacking) throw missing(lacking.name)
  return texts
}

/** Returns the first name that no parameter has, however many there are. */
function firstUnknown(values: object, names: ReadonlySet<string>): string | undefined {
  for (const name in values) if (!names.has(name)) return name
  return undefined
}

/** Returns whether PostgreSQL can store a text. */
const isText = (value: string): boolean => !value.includes('\0') && value.isWellFormed()

/** Units by the names of fields. */
const UNITS: Record<string, string> = {
  impressions: '`impressions` counts people who passed: null without data, 0 if nobody passed.',
  total: '`total` is a sum of impressions of the whole range, 0 without data.',
  coverage: '`coverage` is the observed fraction of the expected intervals, 0 to 1.',
  share: '`share` is a fraction, 0 to 1.',
  width_m: '`width_m` and `height_m` are metres.',
  facing_degrees: '`facing_degrees` is clockwise from north.',
}

/** Returns sentences on the units of the fields of a body. In texts, quotes are escaped. */
const describeUnits = (body: string): string =>
  Object.entries(UNITS)
    .flatMap(([field, unit]) => (body.includes(`"${field}":`) ? unit : []))
    .join(' ')
