/** All requests that can be made: every route with every parameter, and every field of the GraphQL schema with every argument. */

import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLNamedType,
  getNamedType,
  getNullableType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  parse,
} from 'graphql'
import { computeCost, MAX_COST } from '../../resolvers/limits/cost'
import { schema } from '../../resolvers/schema'
import { toolName } from '../../rest-gateway/mcp-tools'
import type { RouteRecord } from '../../rest-gateway/record'
import { partnerRoutes } from '../../rest-gateway/routes/all-routes'
import { legacyRoutes } from '../../rest-gateway/routes/legacy'
import { rounds } from '../support/rounds'
import type { namesOf } from './tenants'

type Names = ReturnType<typeof namesOf>

export const ROUTES: RouteRecord[] = [...partnerRoutes, ...legacyRoutes]

/** The routes that are tools of assistants. */
export const TOOLS = partnerRoutes

/** The values of each query parameter for data with these names. The tests fail for a parameter without values. */
const VALUES: Record<string, (names: Names) => string[]> = {
  from_date: () => ['2025-12-30', 'x'],
  to_date: () => ['2026-01-03', '2026-03-31'],
  start: () => ['2026-01-01'],
  end: () => ['2026-01-03'],
  date: () => ['2026-01-01'],
  grain: () => ['minute', 'quarter_hour', 'hour', 'day', 'week', 'month', 'quarter'],
  limit: () => ['1', '500', '0'],
  cursor: () => [],
  asset_id: ({ assets }) => assets,
  asset_ids: ({ assets }) => [assets[0] as string, assets.join()],
  country: () => ['DE'],
  region: ({ region }) => [region],
  city: ({ city }) => [city],
  group_by: () => ['country', 'region', 'city', 'media_type', 'format', 'asset'],
  media_type: () => ['digital'],
  format: () => ['billboard,transit'],
  status: () => ['active'],
  name_contains: () => ['alder asset'],
  external_id: ({ externalId }) => [externalId, 'everywhere:same'],
  updated_since: () => ['2026-01-01T00:00:00Z'],
  since: () => ['2026-01-01T00:00:00Z'],
  as_of: () => ['2026-01-03T00:00:00Z', '2026-01-03T12:00:00Z'],
  kinds: () => ['notes', 'asset,removed'],
  seconds: () => ['12'],
}

/** Returns the paths of a route for data with these names. @param only the parameters to vary; by default all */
export const generatePaths = (route: RouteRecord, names: readonly Names[], only?: readonly string[]): string[] =>
  generateParameters(route, names, only).map(({ id = '', query }) => `${route.path.replace('{id}', id)}?${query}`)

/** Parameters whose values are data of a company. */
export const NAMING = ['asset_id', 'asset_ids', 'region', 'city', 'name_contains', 'external_id']

/** The headers of queries and messages. */
export const POST_HEADERS = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' }

/**
 * Returns the calls of a route's tool, as messages to /mcp: with the required parameters, with each grain, and with those whose
 * values are data of a company. What the others select, the paths of the same record show.
 */
export function generateCalls(route: RouteRecord, ...names: Names[]): string[] {
  return generateParameters(route, names, [...NAMING, 'grain']).map(({ id, query }) => {
    const values = { ...(id !== undefined && { id }), ...Object.fromEntries(query) }
    const params = { name: toolName(route), arguments: values }
    return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  })
}

interface Parameters {
  /** Undefined where the path has none. */
  id: string | undefined
  query: URLSearchParams
}

/**
 * Returns each value of each parameter once, and once more beside the ids of all assets, because statements that find assets
 * by their ids depend on the other parameters. In the usual run, paths have all parameters with the first asset of each
 * company, and the required ones with the others.
 *
 * @param only the parameters to vary; by default all
 */
function generateParameters(route: RouteRecord, names: readonly Names[], only?: readonly string[]): Parameters[] {
  const pathIds: (string | undefined)[] = route.path.includes('{id}')
    ? names.flatMap(({ assets, legacyId }) => [...assets, String(legacyId)])
    : [undefined]
  const varied = rounds([undefined, ...names.map(({ assets }) => assets[0])], pathIds)
  const given = route.parameters.filter(parameter => parameter.in === 'query')
  const valuesOf = (name: string) => names.flatMap(each => valuesFor(name, each))
  const required = given.filter(parameter => parameter.required).map(({ name }) => [name, valuesOf(name)[0] as string])
  const ids = given.some(({ name }) => name === 'asset_ids') && names.flatMap(({ assets }) => assets).join()
  const sets = [required]
  for (const { name } of given) {
    if (only && !only.includes(name)) continue
    for (const value of valuesOf(name)) {
      const set = [...required, [name, value]]
      sets.push(set)
      if (ids && name !== 'asset_ids') sets.push([...set, ['asset_ids', ids]])
    }
  }
  const queries = new Set(sets.map(set => new URLSearchParams(Object.fromEntries(set)).toString()))
  return pathIds.flatMap(id =>
    [...queries]
      .slice(0, varied.includes(id) ? undefined : 1)
      .map(query => ({ id, query: new URLSearchParams(query) })),
  )
}

function valuesFor(parameter: string, names: Names): string[] {
  const values = VALUES[parameter]
  if (!values) throw new Error(`no values for the parameter ${parameter}`)
  return values(names)
}

/** The fields of Query. */
export const ROOT_FIELDS = Object.values(schema.getQueryType()?.getFields() ?? {})

/**
 * Returns the queries of a field for data with these names. Those with the required arguments select everything below it, each type
 * by itself. The others give each optional argument each of its values (each field of input objects, each value of enums) and select
 * less.
 */
export const generateQueries = (field: GraphQLField<unknown, unknown>, ...names: Names[]): string[] => [
  ...new Set(names.flatMap(each => queriesFor(field, each))),
]

function queriesFor(field: GraphQLField<unknown, unknown>, names: Names): string[] {
  const [required, optional] = [field.args.filter(isRequired), field.args.filter(arg => !isRequired(arg))]
  const assign = (arg: GraphQLArgument) => literals(arg.type, arg.name, names).map(literal => `${arg.name}: ${literal}`)
  const defaults = required.map(arg => assign(arg)[0] as string)
  // Nothing is below changes, of which each asset has several.
  if (field.args.some(arg => arg.name === 'limit')) defaults.push(`limit: ${field.name === 'changes' ? 100 : 3}`)
  const query = (args: string[], depth: number): string[] =>
    selectionsOf(getNamedType(field.type), names, depth).flatMap(selection =>
      affordable(`{ ${field.name}${args.length > 0 ? `(${args.join(', ')})` : ''} { ${selection} } }`),
    )
  const withDefaults = (...given: string[]) => [
    ...given,
    ...defaults.filter(other => !given.some(each => each.split(':')[0] === other.split(':')[0])),
  ]
  return [
    ...query(defaults, DEPTH),
    ...required.flatMap(arg => assign(arg).flatMap(value => query(withDefaults(value), DEPTH))),
    ...optional.flatMap(arg => assign(arg).flatMap(value => query(withDefaults(value), 2))),
    // The position of one asset could reveal that of another one: it is tried in every order.
    ...optional
      .filter(({ name }) => name === 'sort')
      .flatMap(arg =>
        ['', ' m', ' 2026-01-01T00:00:00Z', ' 2026-01-02'].flatMap(key =>
          assign(arg).flatMap(value => query([value, `after: "${names.assets[0]}${key}"`], 2)),
        ),
      ),
  ]
}

/** Returns a query, or those of halves of its leaves if it costs too much. */
function affordable(query: string): string[] {
  if (computeCost(schema, parse(query), undefined, {}) <= MAX_COST) return [query]
  const [, leaves = ''] = /.*\{ ([^{}]+) \}/.exec(query) ?? []
  const each = leaves.split(' ')
  const halves = [each.slice(0, each.length / 2), each.slice(each.length / 2)]
  return halves.flatMap(half => affordable(query.replace(leaves, half.join(' '))))
}

/** The levels of fields that a query selects. */
const DEPTH = 6

const isRequired = (arg: GraphQLArgument): boolean => isNonNullType(arg.type) && arg.defaultValue === undefined

/** Returns selections of a type: its leaves, and those of each type below it, down to a depth, but never of a type within itself. */
function selectionsOf(type: GraphQLNamedType, names: Names, depth: number, within: readonly string[] = []): string[] {
  if (depth === 0 || within.includes(type.name)) return []
  const fields = isObjectType(type) || isInterfaceType(type) ? Object.values(type.getFields()) : []
  const leaves = fields.filter(({ type: each }) => !isCompositeType(getNamedType(each))).map(({ name }) => name)
  const below = fields.flatMap(field =>
    selectionsOf(getNamedType(field.type), names, depth - 1, [...within, type.name]).flatMap(selection =>
      argumentSets(field, names).map(args => `${field.name}${args} { ${selection} }`),
    ),
  )
  return [...(leaves.length > 0 ? [leaves.join(' ')] : []), ...below]
}

/** Returns the required arguments, once with each value of each enum. */
function argumentSets(field: GraphQLField<unknown, unknown>, names: Names): string[] {
  const isEnum = (arg: GraphQLArgument) => isEnumType(getNamedType(arg.type))
  const assign = (arg: GraphQLArgument, literal: string) => [arg.name, `${arg.name}: ${literal}`] as const
  const valuesOf = (arg: GraphQLArgument) => literals(arg.type, arg.name, names)
  const given = field.args.filter(arg => isRequired(arg) || arg.name === 'limit')
  const first = new Map(given.map(arg => assign(arg, valuesOf(arg)[0] as string)))
  const varied = field.args.filter(isEnum).flatMap(arg => valuesOf(arg).map(literal => assign(arg, literal)))
  const sets = varied.length > 0 ? varied.map(each => new Map([...first, each])) : [first]
  return sets.map(set => (set.size > 0 ? `(${[...set.values()].join(', ')})` : ''))
}

/** Returns the values of an argument or input field, as literals. */
function literals(type: GraphQLInputType, name: string, names: Names): string[] {
  const bare = getNullableType(type) as GraphQLInputType
  if (isListType(bare)) {
    const each = literals(bare.ofType, name, names)
    // The values of an enum in a list do not change the statement.
    return (isEnumType(getNamedType(bare)) ? each.slice(0, 1) : each).map(literal => `[${literal}]`)
  }
  if (isEnumType(bare)) return bare.getValues().map(value => value.name)
  if (isInputObjectType(bare)) {
    const fields = Object.values(bare.getFields())
    const fixed = fields.filter(field => isNonNullType(field.type) && field.defaultValue === undefined)
    const assign = (field: (typeof fields)[number], literal: string) => `${field.name}: ${literal}`
    const defaults = fixed.map(field => assign(field, literals(field.type, field.name, names)[0] as string))
    if (fixed.length === fields.length) return [`{ ${defaults.join(', ')} }`]
    const optional = fields.filter(field => !fixed.includes(field))
    return optional.flatMap(field =>
      literals(field.type, field.name, names).map(literal => `{ ${[...defaults, assign(field, literal)].join(', ')} }`),
    )
  }
  const values = LITERALS[bare.name]?.(name, names)
  if (!values) throw new Error(`no values for the argument ${name}`)
  return values.map(value => JSON.stringify(value))
}

const LITERALS: Record<string, (name: string, names: Names) => unknown[]> = {
  ID(name, { company, assets, legacyId }) {
    if (name === 'companyId') return [company]
    return [...assets, String(legacyId)]
  },
  String(name, { city, region, company, externalId }) {
    if (name === 'system') return [externalId.split(':')[0]]
    if (name === 'id') return [externalId.split(':')[1]]
    if (name === 'country') return ['DE']
    if (name === 'region') return [region]
    if (name === 'city') return [city]
    return [company.replace('company', '')]
  },
  Int: (_, { legacyId }) => [2, legacyId % 100],
  Float: name => [{ south: 0, west: 0, north: 15, east: 20, meters: 5_000_000 }[name] ?? 10],
  Boolean: () => [true, false],
  DateTime: () => ['2026-01-01T00:00:00Z', '2026-01-03T00:00:00Z'],
  Date: name => [name === 'toDate' ? '2026-01-03' : '2026-01-01'],
}
