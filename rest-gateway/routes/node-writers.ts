/** Objects as JSON, the way a fixed query selects them: its fields in its order, under its keys. */
import {
  type DocumentNode,
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

type Write = (value: unknown) => string

/**
 * Writes the JSON of objects of a type; undefined where it takes more than to look at their properties, or what is selected
 * is not plain.
 */
export function nodeWriter(
  document: DocumentNode,
  selection: SelectionSetNode | undefined,
  type: GraphQLObjectType,
): Write | undefined {
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition)
  }
  return objectWriter(selection, type)

  function objectWriter(selection: SelectionSetNode | undefined, type: GraphQLObjectType): Write | undefined {
    const columns = selection && columnsOf(selection, type)
    if (!columns) return undefined
    return object => {
      const texts = columns.map(({ key, field, write }) => key + write((object as Record<string, unknown>)[field]))
      return `{${texts.join()}}`
    }
  }

  function columnsOf({ selections }: SelectionSetNode, type: GraphQLObjectType): Column[] | undefined {
    const columns: Column[] = []
    for (const node of selections) {
      if (node.directives?.length || node.kind === Kind.INLINE_FRAGMENT) return undefined
      if (node.kind === Kind.FRAGMENT_SPREAD) {
        const spread = fragments.get(node.name.value)
        const within = spread && columnsOf(spread.selectionSet, type)
        if (!within) return undefined
        columns.push(...within)
        continue
      }
      const field = type.getFields()[node.name.value]
      const write = field && !field.resolve && valueWriter(node.selectionSet, field.type)
      if (!write) return undefined
      columns.push({ key: `${JSON.stringify((node.alias ?? node.name).value)}:`, field: field.name, write })
    }
    return columns
  }

  function valueWriter(selection: SelectionSetNode | undefined, type: GraphQLOutputType): Write | undefined {
    if (isLeafType(getNamedType(type))) return value => JSON.stringify(value ?? null)
    const plain = getNullableType(type)
    if (isListType(plain)) {
      const write = valueWriter(selection, plain.ofType)
      return write && (values => (values == null ? 'null' : `[${(values as unknown[]).map(write).join()}]`))
    }
    const write = isObjectType(plain) ? objectWriter(selection, plain) : undefined
    return write && (value => (value == null ? 'null' : write(value)))
  }
}

interface Column {
  /** With its colon. */
  key: string
  field: string
  write: Write
}
