/** The partner routes as tools: their names, descriptions and schemas come from the records, their results from the routes. */
import { snakeCase } from '../../db/assets/attributes'
import { schema } from '../../resolvers/schema'
import { ApiError } from '../../schema/errors'
import type { Gateway } from '../gateway'
import { isLegacy } from '../middleware/deprecation'
import { errorBody } from '../middleware/error-handler'
import { MAX_URL_BYTES } from '../middleware/request-target'
import { openApi } from '../openapi/openapi'
import { invalid, missing, type Parameter } from '../parameters/params'
import { RequestInput } from '../parameters/request-input'
import type { JsonSchema } from '../routes/envelopes'
import type { Route, RouteRecord } from '../routes/record'
import { readJson } from '../routes/route'
import type { Context } from '../state'
import { bodySchemas, describeUnits } from './results'

/** Results of more characters are refused: they would fill the context of any assistant. */
const MAX_RESULT = 256 * 1024

/** An argument has no more characters than a URL may have. */
const MAX_ARGUMENT = MAX_URL_BYTES

/** Parameters of formats, of which tools have JSON alone. */
const OF_FORMATS = ['output', 'missing']

/** Statuses of errors that the assistant can correct. All others end the request, as on other routes. */
const CORRECTABLE = [400, 403, 404, 410]

export class Tools {
  private readonly routes: ReadonlyMap<string, Route>
  private known: { list: string; units: ReadonlyMap<string, string> } | undefined

  constructor(
    private readonly gateway: Gateway,
    routes: readonly Route[],
  ) {
    this.routes = new Map(routes.filter(({ path }) => !isLegacy(path)).map(route => [toolName(route), asTool(route)]))
  }

  /** The result of `tools/list`, as JSON. */
  get list(): string {
    return this.derive().list
  }

  /** Returns the result of a tool as JSON; undefined where there is no such tool. @throws ApiError */
  async call(name: unknown, values: unknown, ctx: Context, keyHash: Buffer): Promise<string | undefined> {
    const route = this.routes.get(name as string)
    if (!route) return undefined
    ctx.state.tool = name as string
    try {
      const body = await this.read(route, readArguments(route, values), ctx, keyHash)
      if (body.length > MAX_RESULT) throw tooLarge(body.length)
      const notes = [this.derive().units.get(route.operation), await this.describeZone(route, values, ctx, keyHash)]
      const content = [body, notes.filter(Boolean).join(' ')].filter(Boolean).map(text => ({ type: 'text', text }))
      return `{"content":${JSON.stringify(content)},"structuredContent":${body}}`
    } catch (error) {
      if (!(error instanceof ApiError && CORRECTABLE.includes(error.status))) throw error
      ctx.state.errorCode = error.code
      const text = JSON.stringify(errorBody(route.path, error))
      return JSON.stringify({ content: [{ type: 'text', text }], isError: true })
    }
  }

  private read(route: Route, { path, query }: Texts, ctx: Context, keyHash: Buffer): Promise<string> {
    const input = new RequestInput(route, this.gateway.cursors, path, query.toString())
    return readJson(route, this.gateway, ctx, keyHash, input)
  }

  /** Tells the zone of the days and times of a result. */
  private async describeZone(
    { path, parameters }: Route,
    values: unknown,
    ctx: Context,
    keyHash: Buffer,
  ): Promise<string> {
    if (!parameters.some(({ name }) => name === 'from_date')) return ''
    if (!path.includes('{id}')) return 'Days are local ones of each asset; list_assets has its `time_zone`.'
    const asset = this.routes.get('read_asset')!
    const { name, time_zone } = JSON.parse(
      await this.read(asset, readArguments(asset, { id: (values as { id: unknown }).id }), ctx, keyHash),
    )
    return `Days and times are local ones of the asset ${JSON.stringify(name)}: ${time_zone}.`
  }

  /** Derives the descriptions when they are first needed. */
  private derive() {
    this.known ??= describe(this.routes)
    return this.known
  }
}

/** Returns the name of a route's tool, such as `list_assets`. */
export const toolName = ({ operation }: RouteRecord): string => snakeCase(operation).slice(1)

/** Returns a route in JSON alone: assistants read no other format. */
function asTool(route: Route): Route {
  const parameters = route.parameters.filter(({ name }) => !OF_FORMATS.includes(name))
  const queryNames = route.queryNames.filter(name => !OF_FORMATS.includes(name))
  return { ...route, parameters, queryNames, formats: ['json'] }
}

function describe(routes: ReadonlyMap<string, Route>) {
  const bodies = bodySchemas(openApi(schema, [...routes.values()]))
  const units = new Map<string, string>()
  const tools = [...routes].map(([name, route]) => {
    const outputSchema = bodies(route.path)
    units.set(route.operation, describeUnits(outputSchema))
    return {
      name,
      title: route.summary,
      description: `${route.summary}. ${route.description}`,
      inputSchema: inputSchema(route.parameters),
      outputSchema,
      annotations: { title: route.summary, readOnlyHint: true, openWorldHint: false },
    }
  })
  return { list: JSON.stringify({ tools }), units }
}

/** The schema of arguments, which is closed: the routes refuse unknown parameters. */
const inputSchema = (parameters: readonly Parameter[]): JsonSchema => ({
  type: 'object',
  properties: Object.fromEntries(
    parameters.map(({ name, schema, description }) => [name, { ...schema, description } as JsonSchema]),
  ),
  required: parameters.flatMap(({ name, required }) => (required ? name : [])),
  additionalProperties: false,
})

/** Arguments as the texts that a URL would have. */
interface Texts {
  path: Record<string, string>
  query: URLSearchParams
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

const tooLarge = (length: number): ApiError =>
  new ApiError(
    'RANGE_TOO_LARGE',
    { max_days: 0 },
    `The result has ${length} characters; assistants get at most ${MAX_RESULT}. Choose fewer days, a coarser grain, fewer assets or a smaller limit.`,
  )
