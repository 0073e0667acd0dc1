/** The arguments with which a query asked for a list, such as its range of days. */
import { type FieldNode, getOperationAST, Kind, parse, type SelectionSetNode, valueFromASTUntyped } from 'graphql'

export interface QueryArguments {
  fromDate?: string
  toDate?: string
  grain?: string
  assetId?: string
}

const NAMES = ['fromDate', 'toDate', 'grain', 'assetId'] as const

/**
 * Returns the arguments of the fields that contain a list.
 *
 * @param path the name of the list's table: the names of the fields, without `nodes` and `rows`
 */
export function findArguments(query: string, variables: Record<string, unknown>, path: string): QueryArguments {
  const found: QueryArguments = {}
  let selections: SelectionSetNode | undefined
  try {
    const document = parse(query)
    selections = getOperationAST(document)?.selectionSet ?? undefined
  } catch {
    return found
  }
  for (const name of path.split('.')) {
    const field = findField(selections, name)
    if (!field) return found
    for (const argument of field.arguments ?? []) {
      const known = NAMES.find(value => value === argument.name.value)
      const value = known && valueFromASTUntyped(argument.value, variables)
      if (known && typeof value === 'string') found[known] = value
    }
    selections = field.selectionSet
  }
  return found
}

/** Finds a field below a selection; the names of tables leave out `nodes` and `rows`. */
function findField(selections: SelectionSetNode | undefined, name: string): FieldNode | undefined {
  const fields = listFields(selections)
  const wrapper = fields.find(field => ['nodes', 'rows'].includes(field.name.value))
  return [...fields, ...listFields(wrapper?.selectionSet)].find(field => (field.alias ?? field.name).value === name)
}

const listFields = (selections: SelectionSetNode | undefined): FieldNode[] =>
  (selections?.selections ?? []).filter(selection => selection.kind === Kind.FIELD)
