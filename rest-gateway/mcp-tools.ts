/** The partner routes as tools of assistants: their names, descriptions and schemas come from the records. */
import type { Tool } from '@modelcontextprotocol/server'
import { snakeCase } from '../db/assets/attributes'
import { ApiError, invalidParameter } from '../schema/errors'
import { MAX_URL_BYTES } from './edge/request-target'
import { isLegacy } from './paths'
import { missing } from './read/params'
import type { Parameter, Route, RouteRecord } from './record'

/** A result has no more characters: assistants cut longer ones. */
export const MAX_RESULT = 50_000

/** Parameters of formats, of which tools have JSON alone. */
const OF_FORMATS = ['output']

export const toolsOf = (routes: readonly Route[]): ReadonlyMap<string, Route> =>
  new Map(routes.filter(({ path }) => !isLegacy(path)).map(route => [toolName(route), asTool(route)]))

/** Returns the name of a route's tool, such as `list_assets`. */
export const toolName = ({ operation }: RouteRecord): string => snakeCase(operation).slice(1)

/** Returns a route in JSON alone, since assistants read no other format. */
function asTool(route: Route): Route {
  const parameters = route.parameters.filter(({ name }) => !OF_FORMATS.includes(name))
  const queryNames = route.queryNames.filter(name => !OF_FORMATS.includes(name))
  return { ...route, parameters, queryNames, formats: ['json'] }
}

/** Returns the list of tools. It fills a part of the context of every assistant: a parameter is described by the first tool that has it. */
export function listTools(tools: ReadonlyMap<string, Route>): Tool[] {
  const described = new Set<string>()
  return [...tools].map(([name, { summary, description, parameters }]) => ({
    name,
    title: summary,
    description: firstSentence(description),
    inputSchema: inputSchema(parameters, described),
    annotations: { readOnlyHint: true, openWorldHint: false },
  }))
}

/** Returns the schema of arguments, which is closed: the routes refuse unknown parameters. */
const inputSchema = (parameters: readonly Parameter[], described: Set<string>): Tool['inputSchema'] => ({
  type: 'object',
  properties: Object.fromEntries(
    parameters.map(({ name, schema, description }) => {
      const isKnown = described.has(name + description)
      described.add(name + description)
      return [name, isKnown ? schema : { ...schema, description }]
    }),
  ) as NonNullable<Tool['inputSchema']['properties']>,
  required: parameters.flatMap(({ name, required }) => (required ? name : [])),
  additionalProperties: false,
})

const firstSentence = (text: string): string => /^.*?\.(?=\s+[A-Z`]|$)/s.exec(text)?.[0] ?? text

/** Arguments as the texts that a URL would have. */
interface Texts {
  path: Record<string, string>
  query: URLSearchParams
}

/** @throws ApiError INVALID_PARAMETER, REQUIRED_PARAMETER */
export function readArguments({ parameters }: Route, values: unknown = {}): Texts {
  const texts: Texts = { path: {}, query: new URLSearchParams() }
  for (const [name, value] of Object.entries(values as object)) {
    const parameter = parameters.find(parameter => parameter.name === name)
    // It is refused as in a URL, before the values of others are looked at.
    if (!parameter) return { path: {}, query: new URLSearchParams([[name, '']]) }
    if (value === null) continue
    const text = String(value)
    if (
      (typeof value !== 'string' && typeof value !== 'number') ||
      text.includes('\0') ||
      text.length > MAX_URL_BYTES
    ) {
      const expected = `a text of at most ${MAX_URL_BYTES} characters, or a number`
      throw invalidParameter(name, JSON.stringify(value).slice(0, 100), expected)
    }
    if (parameter.in === 'path') texts.path[name] = text
    else texts.query.set(name, text)
  }
  const lacking = parameters.find(parameter => parameter.in === 'path' && !texts.path[parameter.name])
  if (lacking) throw missing(lacking.name)
  return texts
}

/** Ways to a shorter result, by the parameter that the tool must have. */
const SHORTER = { limit: 'a smaller limit', from_date: 'a shorter range', grain: 'a coarser grain' }

export function tooLong({ queryNames }: Route, length: number): ApiError {
  const ways = Object.entries(SHORTER).flatMap(([name, way]) => (queryNames.includes(name) ? way : []))
  const advice = ways.length > 0 ? `Ask for ${ways.join(', or ')}.` : 'Read it with the route of the same name.'
  return new ApiError(
    'RANGE_TOO_LARGE',
    {},
    `The result has ${length} characters; ${MAX_RESULT} are allowed. ${advice}`,
  )
}
