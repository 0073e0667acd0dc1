/**
 * "As REST": the call of a fixed route that answers what a query asks. A query fits a route when it selects nothing that
 * the route's own query does not, whatever names, fragments and variables either of them uses.
 */
import {
  type DocumentNode,
  getOperationAST,
  Kind,
  parse,
  type SelectionSetNode,
  type ValueNode,
  valueFromASTUntyped,
} from 'graphql'

/** A fixed route, as the service tells it. */
export interface FixedRoute {
  path: string
  query: string
  parameters: { name: string; in: 'path' | 'query'; required: boolean }[]
}

/** A field of a selection: its alias is gone, its fragments are resolved. */
interface Field {
  name: string
  args: Map<string, ValueNode>
  fields: Field[]
}

type Values = Record<string, unknown>

/** The address, from `/v1/` on, that answers a query; undefined where no route does. */
export function asRest(routes: readonly FixedRoute[], query: string, variables: Values = {}): string | undefined {
  const asked = rootOf(query)
  if (!asked) return undefined
  const values = { ...asked.defaults, ...variables }
  const fitting = routes.flatMap(route => {
    const own = rootOf(route.query)
    const found: Values = {}
    if (!own || !fits(asked.field, own.field, values, found)) return []
    const address = addressOf(route, found)
    return address === undefined ? [] : [{ address, size: sizeOf(own.field) }]
  })
  return fitting.sort((a, b) => a.size - b.size)[0]?.address
}

/** The only field that an operation asks for, and what its variables are unless told. */
function rootOf(query: string): { field: Field; defaults: Values } | undefined {
  try {
    const document = parse(query)
    const operation = getOperationAST(document)
    if (!operation || /@\w/.test(query)) return undefined
    const [field, ...more] = fieldsOf(operation.selectionSet, document)
    const defaults = operation.variableDefinitions?.flatMap(({ variable, defaultValue }) =>
      defaultValue ? [[variable.name.value, valueFromASTUntyped(defaultValue)]] : [],
    )
    return field && more.length === 0 ? { field, defaults: Object.fromEntries(defaults ?? []) } : undefined
  } catch {
    return undefined
  }
}

function fieldsOf(selection: SelectionSetNode | undefined, document: DocumentNode): Field[] {
  return (selection?.selections ?? []).flatMap(node => {
    if (node.kind === Kind.INLINE_FRAGMENT) return fieldsOf(node.selectionSet, document)
    if (node.kind === Kind.FRAGMENT_SPREAD) {
      const fragment = document.definitions.find(
        definition => definition.kind === Kind.FRAGMENT_DEFINITION && definition.name.value === node.name.value,
      )
      return fragment?.kind === Kind.FRAGMENT_DEFINITION ? fieldsOf(fragment.selectionSet, document) : []
    }
    if (node.name.value === '__typename') return []
    const args = new Map(node.arguments?.map(({ name, value }) => [name.value, value]))
    return [{ name: node.name.value, args, fields: fieldsOf(node.selectionSet, document) }]
  })
}

/** Whether a route's field holds all that is asked; what its parameters have to be for it goes to `found`. */
function fits(asked: Field, own: Field, values: Values, found: Values): boolean {
  if (asked.name !== own.name) return false
  for (const name of new Set([...asked.args.keys(), ...own.args.keys()])) {
    const node = asked.args.get(name)
    const value = node && (valueFromASTUntyped(node, values) ?? undefined)
    const parameter = own.args.get(name)
    if (parameter?.kind !== Kind.VARIABLE) {
      if (value !== (parameter && valueFromASTUntyped(parameter))) return false
      continue
    }
    const key = parameter.name.value
    if (key in found && String(found[key]) !== String(value)) return false
    found[key] = value
  }
  return asked.fields.every(field => own.fields.some(candidate => fits(field, candidate, values, found)))
}

/** Undefined where a required parameter has no value, or where a page is not the first: its cursor is the route's own. */
function addressOf({ path, parameters }: FixedRoute, found: Values): string | undefined {
  let address = path
  const query = new URLSearchParams()
  for (const { name, in: place, required } of parameters) {
    const value = found[name]
    if (value === undefined || value === '') {
      if (required) return undefined
      continue
    }
    if (name === 'cursor') return undefined
    if (place === 'path') address = address.replace(`{${name}}`, encodeURIComponent(String(value)))
    else query.set(name, String(value))
  }
  // A comma may stand in a query as it is, and reads better so.
  const text = query.toString().replaceAll('%2C', ',')
  return text === '' ? address : `${address}?${text}`
}

const sizeOf = ({ fields }: Field): number => fields.reduce((size, field) => size + sizeOf(field), 1)
