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
} from 'graphql'
import { schema } from '../../resolvers/schema'
import { toolName } from '../../rest-gateway/mcp/tools'
import { legacyRoutes } from '../../rest-gateway/routes/legacy'
import { partnerRoutes } from '../../rest-gateway/routes/partner'
import type { RouteRecord } from '../../rest-gateway/routes/record'
import type { namesOf } from './tenants'

type Names = ReturnType<typeof namesOf>

export const ROUTES: RouteRecord[] = [...partnerRoutes, ...legacyRoutes]

/** The routes that are tools of assistants. */
export const TOOLS = partnerRoutes

/** The values of each query parameter for data with these names. The tests fail for a parameter without values. */
const VALUES: Record<string, (names: Names) => string[]> = {
  from_date: () => ['2026-01-01'],
  to_date: () => ['2026-01-03', '2026-03-31'],
  start: () => ['2026-01-01'],
  end: () => ['2026-01-03'],
  date: () => ['2026-01-01'],
  grain: () => ['minute', 'quarter_hour', 'day'],
  limit: () => ['1', '500'],
  cursor: () => [],
  asset_id: ({ assets }) => assets,
  asset_ids: ({ assets }) => [assets[0] as string, assets.join()],
  country: () => ['DE'],
  region: ({ region }) => [region],
  city: ({ city }) => [city],
  group_by: () => ['city', 'format', 'asset'],
  media_type: () => ['digital'],
  format: () => ['billboard,transit'],
  status: () => ['active'],
  name_contains: () => ['alder asset'],
  updated_since: () => ['2026-01-01T00:00:00Z'],
  since: () => ['2026-01-01T00:00:00Z'],
}

/** Returns the paths of a route for data with these names. */
export const generatePaths = (route: RouteRecord, names: Names): string[] =>
  generateParameters(route, names).map(({ id = '', query }) => `${route.path.replace('{id}', id)}?${query}`)

/** Parameters whose values are data of a company. */
const NAMING = ['asset_id', 'asset_ids', 'region', 'city', 'name_contains']

/**
 * Returns the calls of a route's tool, as messages to /mcp: with the required parameters, and with those whose values are data
 * of a company. What the others select, the paths of the same record show.
 */
export function generateCalls(route: RouteRecord, names: Names): string[] {
  const needed = route.parameters.flatMap(({ name, required }) => (required ? name : []))
  return generateParameters(route, names)
    .filter(({ query }) => [...query.keys()].every(name => [...needed, ...NAMING].includes(name)))
    .map(({ id, query }) => {
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
 * Returns each value of each parameter once, and once more beside ids of assets, because statements that find assets by their
 * ids depend on the other parameters.
 */
function generateParameters(route: RouteRecord, names: Names): Parameters[] {
  const pathIds = route.path.includes('{id}') ? [...names.assets, String(names.legacyId)] : [undefined]
  const given = route.parameters.filter(parameter => parameter.in === 'query')
  const required = given
    .filter(({ required }) => required)
    .map(({ name }): [string, string] => [name, valuesFor(name, names)[0] as string])
  const sets = [required]
  const ids = given.some(({ name }) => name === 'asset_ids') ? valuesFor('asset_ids', names).at(-1) : undefined
  for (const { name } of given) {
    for (const value of valuesFor(name, names)) {
      const set: [string, string][] = [...required.filter(([other]) => other !== name), [name, value]]
      sets.push(set)
      if (ids !== undefined && name !== 'asset_ids') sets.push([...set, ['asset_ids', ids]])
    }
  }
  const queries = new Set(sets.map(set => new URLSearchParams(set).toString()))
  return pathIds.flatMap(id => [...queries].map(query => ({ id, query: new URLSearchParams(query) })))
}

function valuesFor(parameter: string, names: Names): string[] {
  const values = VALUES[parameter]
  if (!values) throw new Error(`no values for the parameter ${parameter}`)
  return values(names)
}

/** The fields of Query. */
export const ROOT_FIELDS = Object.values(schema.getQueryType()?.getFields() ?? {})

/**
 * Returns the queries of a field for data with these names. The first selects everything below it. The others give each
 * optional argument each of its values (each field of input objects, each value of enums) and select less.
 */
export function generateQueries(field: GraphQLField<unknown, unknown>, names: Names): string[] {
  const [required, optional] = [field.args.filter(isRequired), field.args.filter(arg => !isRequired(arg))]
  const defaults = required.map(arg => `${arg.name}: ${literals(arg.type, arg.name, names)[0]}`)
  // Everything below a long list would cost too much. Nothing is below changes, of which each asset has several.
  if (field.args.some(arg => arg.name === 'limit')) defaults.push(`limit: ${field.name === 'changes' ? 100 : 3}`)
  const query = (args: string[], depth: number) =>
    `{ ${field.name}${args.length > 0 ? `(${args.join(', ')})` : ''}${selectFields(field, names, depth, new Set())} }`
  const queries = [query(defaults, 6)]
  for (const arg of required) {
    for (const literal of literals(arg.type, arg.name, names)) {
      queries.push(
        query([...defaults.filter(other => !other.startsWith(`${arg.name}:`)), `${arg.name}: ${literal}`], 6),
      )
    }
  }
  for (const arg of optional) {
    for (const literal of literals(arg.type, arg.name, names)) {
      const others = defaults.filter(other => !other.startsWith(`${arg.name}:`))
      queries.push(query([...others, `${arg.name}: ${literal}`], 2))
      // The cursor of one asset could reveal the position of another one: try it in every order.
      if (arg.name !== 'sort') continue
      for (const after of [...names.assets]) queries.push(query([`sort: ${literal}`, `after: "${after}"`], 2))
    }
  }
  return [...new Set(queries)]
}

const isRequired = (arg: GraphQLArgument): boolean => isNonNullType(arg.type) && arg.defaultValue === undefined

/** Selects all fields of a field's type, up to a depth, never a type within itself. */
function selectFields(field: GraphQLField<unknown, unknown>, names: Names, depth: number, within: Set<string>): string {
  const type = getNamedType(field.type)
  if (!isCompositeType(type)) return ''
  if (depth === 0 || within.has(type.name)) return ' { __typename }'
  const inner = new Set([...within, type.name])
  const parts = fieldsOf(type).flatMap(each => {
    const sets = argumentSets(each, names)
    return sets.map((args, i) => {
      const alias = sets.length > 1 ? `${each.name}_${i}: ` : ''
      return `${alias}${each.name}${args}${selectFields(each, names, depth - 1, inner)}`
    })
  })
  return ` { ${parts.join(' ')} }`
}

const fieldsOf = (type: GraphQLNamedType) =>
  isObjectType(type) || isInterfaceType(type) ? Object.values(type.getFields()) : []

/** Returns the required arguments, once with each value of an enum. */
function argumentSets(field: GraphQLField<unknown, unknown>, names: Names): string[] {
  const args = field.args.filter(arg => isRequired(arg) || arg.name === 'limit')
  if (args.length === 0) return ['']
  const first = (arg: GraphQLArgument) => literals(arg.type, arg.name, names)[0]
  const enumArgument = args.find(arg => isEnumType(getNamedType(arg.type)))
  const values = enumArgument ? literals(enumArgument.type, enumArgument.name, names) : [undefined]
  return values.map(
    each => `(${args.map(arg => `${arg.name}: ${arg === enumArgument ? each : first(arg)}`).join(', ')})`,
  )
}

/** Returns the values of an argument or input field, as literals. */
function literals(type: GraphQLInputType, name: string, names: Names): string[] {
  const bare = getNullableType(type) as GraphQLInputType
  if (isListType(bare)) return literals(bare.ofType, name, names).map(literal => `[${literal}]`)
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
  String(name, { city, region, company }) {
    if (name === 'country') return ['DE']
    if (name === 'region') return [region]
    if (name === 'city') return [city]
    return [company.replace('company', '')]
  },
  Int: (_, { legacyId }) => [2, legacyId % 100],
  Float: name => [{ south: 0, west: 0, north: 15, east: 20, meters: 5_000_000 }[name] ?? 10],
  Boolean: () => [true, false],
  DateTime: () => ['2026-01-01T00:00:00Z'],
  Date: name => [name === 'toDate' ? '2026-01-03' : '2026-01-01'],
}
