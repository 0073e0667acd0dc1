/** Compiles a selection into a function that writes objects of a type as JSON: the selected fields in their order, under their keys. */
import {
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isLeafType,
  isListType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql'

export type WriteNode = (node: unknown) => string

interface Column {
  /** With its colon. */
  key: string
  field: string
  write: WriteNode
}

/**
 * Compiles a selection of plain properties.
 *
 * @throws Error for a selection with directives, inline fragments or fields that have resolvers
 */
export function nodeJson(
  fragments: Record<string, FragmentDefinitionNode>,
  selection: SelectionSetNode | undefined,
  type: GraphQLObjectType,
): WriteNode {
  return objectWriter(selection, type)

  function objectWriter(selection: SelectionSetNode | undefined, type: GraphQLObjectType): WriteNode {
    const columns = collectColumns(selection, type)
    return object => {
      const texts = columns.map(({ key, field, write }) => key + write((object as Record<string, unknown>)[field]))
      return `{${texts.join()}}`
    }
  }

  function collectColumns(selection: SelectionSetNode | undefined, type: GraphQLObjectType): Column[] {
    return (selection?.selections ?? []).flatMap(node => {
      if (node.kind === Kind.FRAGMENT_SPREAD) return collectColumns(fragments[node.name.value]?.selectionSet, type)
      const field = node.kind === Kind.FIELD ? type.getFields()[node.name.value] : undefined
      if (node.kind !== Kind.FIELD || node.directives?.length || !field || field.resolve) {
        throw new Error(`a selection on ${type.name} has more than plain properties`)
      }
      const key = `${JSON.stringify((node.alias ?? node.name).value)}:`
      return [{ key, field: field.name, write: valueWriter(node.selectionSet, field.type) }]
    })
  }

  function valueWriter(selection: SelectionSetNode | undefined, type: GraphQLOutputType): WriteNode {
    if (isLeafType(getNamedType(type))) return value => JSON.stringify(value ?? null)
    const nullable = getNullableType(type)
    if (isListType(nullable)) {
      const write = valueWriter(selection, nullable.ofType)
      return values => (values == null ? 'null' : `[${(values as unknown[]).map(write).join()}]`)
    }
    if (!isObjectType(nullable)) throw new Error(`${String(type)} is not an object type`)
    const write = objectWriter(selection, nullable)
    return value => (value == null ? 'null' : write(value))
  }
}
