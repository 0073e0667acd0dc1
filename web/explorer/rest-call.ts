/**
 * Finds the REST call that returns the data of a GraphQL query. A route matches if its persisted query selects at least
 * the fields of the query, with the same arguments. Aliases, fragments and variable names do not matter.
 */
import { Kind, type ValueNode, valueFromASTUntyped } from 'graphql'
import { parseQuery, type SelectedField } from './parse-query'

/** A route as served in /explorer/routes.json. */
export interface PersistedRoute {
  path: string
  query: string
  parameters: { name: string; in: 'path' | 'query'; required: boolean }[]
}

type Values = Record<string, unknown>

/** Returns path and query string of the smallest matching route; undefined if no route matches. */
export function findRestCall(
  routes: readonly PersistedRoute[],
  query: string,
  variables: Values = {},
): string | undefined {
  const requested = parseRoot(query)
  if (!requested) return undefined
  const values = { ...requested.defaults, ...variables }
  const matches = routes.flatMap(route => {
    const persisted = parseRoot(route.query)
    const parameters: Values = {}
    if (!persisted || !matchField(requested.field, persisted.field, values, parameters)) return []
    const url = buildUrl(route, parameters)
    return url === undefined ? [] : [{ url, size: countFields(persisted.field) }]
  })
  return matches.sort((a, b) => a.size - b.size)[0]?.url
}

/** Returns the root field of an operation with exactly one, and the defaults of its variables. */
function parseRoot(query: string): { field: SelectedField; defaults: Values } | undefined {
  const { operation, fields = [] } = parseQuery(query) ?? {}
  const [field] = fields
  const hasDirectives = /@\w/.test(query)
  if (!field || fields.length > 1 || hasDirectives) return undefined
  const defaults = operation?.variableDefinitions?.flatMap(({ variable, defaultValue }) =>
    defaultValue ? [[variable.name.value, valueFromASTUntyped(defaultValue)]] : [],
  )
  return { field, defaults: Object.fromEntries(defaults ?? []) }
}

/** Returns whether a persisted field covers a requested one. Adds the required parameter values to `parameters`. */
function matchField(requested: SelectedField, persisted: SelectedField, values: Values, parameters: Values): boolean {
  if (requested.name !== persisted.name) return false
  for (const name of new Set([...requested.args.keys(), ...persisted.args.keys()])) {
    const node = requested.args.get(name)
    const value = node && (valueFromASTUntyped(node, values) ?? undefined)
    if (!matchValue(value, persisted.args.get(name), parameters)) return false
  }
  return requested.fields.every(field =>
    persisted.fields.some(candidate => matchField(field, candidate, values, parameters)),
  )
}

/** Returns whether a value is that of an argument whose value is a constant, a variable, or an object of variables. */
function matchValue(value: unknown, argument: ValueNode | undefined, parameters: Values): boolean {
  if (argument?.kind === Kind.OBJECT) {
    const object = (value ?? {}) as Values
    const names = argument.fields.map(({ name }) => name.value)
    return (
      Object.entries(object).every(([name, inner]) => inner == null || names.includes(name)) &&
      argument.fields.every(field => matchValue(object[field.name.value] ?? undefined, field.value, parameters))
    )
  }
  if (argument?.kind !== Kind.VARIABLE) return value === (argument && valueFromASTUntyped(argument))
  const parameter = argument.name.value
  if (parameter in parameters && String(parameters[parameter]) !== String(value)) return false
  parameters[parameter] = value
  return true
}

/** Undefined if a required parameter has no value, or for any page but the first: REST cursors are not GraphQL ids. */
function buildUrl({ path, parameters }: PersistedRoute, values: Values): string | undefined {
  let url = path
  const query = new URLSearchParams()
  for (const { name, in: location, required } of parameters) {
    const value = values[name]
    if (value === undefined || value === '') {
      if (required) return undefined
      continue
    }
    if (name === 'cursor') return undefined
    if (location === 'path') url = url.replace(`{${name}}`, encodeURIComponent(String(value)))
    else query.set(name, String(value))
  }
  // Commas are allowed in a query string and are easier to read than %2C.
  const text = query.toString().replaceAll('%2C', ',')
  return text === '' ? url : `${url}?${text}`
}

const countFields = ({ fields }: SelectedField): number => fields.reduce((size, field) => size + countFields(field), 1)
