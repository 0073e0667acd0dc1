/** The selection of a persisted query as one list of fields in their order, by which rows are picked and described. */
import { collectSubFields } from '@graphql-tools/utils'
import {
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql'

export interface Selection {
  type: GraphQLObjectType
  fields: SelectedField[]
  /** The name of the fragment that is the whole of it. */
  fragment: string | undefined
}

interface SelectedField {
  /** The alias, which is the name in REST. */
  key: string
  field: GraphQLField<unknown, unknown>
  /** The selection of the object or objects in the field. */
  selection: Selection | undefined
}

export type Fragments = Readonly<Record<string, FragmentDefinitionNode>>

/** Reads the fields of a selection in their order. @throws Error for an inline fragment or a directive */
export function readSelection(
  node: SelectionSetNode | undefined,
  type: GraphQLObjectType,
  fragments: Fragments,
): Selection {
  const selections = node?.selections ?? []
  const [first] = selections
  const isFragment = selections.length === 1 && first?.kind === Kind.FRAGMENT_SPREAD
  return { type, fields: selections.flatMap(readField), fragment: isFragment ? first.name.value : undefined }

  function readField(node: SelectionNode): SelectedField[] {
    if (node.kind === Kind.FRAGMENT_SPREAD) {
      return readSelection(fragments[node.name.value]?.selectionSet, type, fragments).fields
    }
    const field = node.kind === Kind.FIELD ? type.getFields()[node.name.value] : undefined
    if (node.kind !== Kind.FIELD || node.directives?.length || !field) {
      throw new Error(`a selection on ${type.name} has more than fields`)
    }
    const inner = getNamedType(field.type)
    const selection = isObjectType(inner) ? readSelection(node.selectionSet, inner, fragments) : undefined
    return [{ key: (node.alias ?? node.name).value, field, selection }]
  }
}

/** Returns whether a query selects one of these fields of the object that the resolver of a field returns. */
export function isSelected(info: GraphQLResolveInfo, names: readonly string[]): boolean {
  const { schema, fragments, variableValues, returnType, fieldNodes } = info
  const type = getNamedType(returnType) as GraphQLObjectType
  const variables = { coerced: variableValues, sources: {} }
  const { fields } = collectSubFields(schema, fragments, variables, type, [...fieldNodes])
  return [...fields.values()].some(([field]) => names.includes(field!.name.value))
}

/** Makes an object with the selected fields of a row, which has them as properties. */
export type PickRow = (row: unknown) => object

/** Compiles a selection: a loop over its fields would take four times as long. @throws Error for a field with a resolver */
export function compilePick(selection: Selection): PickRow {
  return new Function('row', `return ${pickObject(selection, 'row')}`) as PickRow
}

/** Returns the source of an object with the fields of the one in a variable. Names of GraphQL are safe in it. */
function pickObject({ fields }: Selection, variable: string): string {
  const properties = fields.map(({ key, field, selection }) => {
    if (field.resolve) throw new Error(`${field.name} has a resolver, which is not called for rows`)
    const value = `${variable}.${field.name}`
    return `${key}: ${selection ? pickValue(selection, field.type, value, `${variable}_${key}`) : value}`
  })
  return `{ ${properties.join(', ')} }`
}

function pickValue(selection: Selection, type: GraphQLOutputType, value: string, variable: string): string {
  const object = pickObject(selection, variable)
  const isList = isListType(getNullableType(type))
  return isList ? `${value}?.map(${variable} => (${object}))` : `(${variable} => ${variable} && ${object})(${value})`
}
