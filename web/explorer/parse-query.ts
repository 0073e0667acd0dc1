/** Parses a query into its fields, with fragments replaced by what they select. */
import {
  type DocumentNode,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  parse,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql'

export interface SelectedField {
  name: string
  /** The name in the result. */
  alias: string
  args: Map<string, ValueNode>
  fields: SelectedField[]
}

interface ParsedQuery {
  document: DocumentNode
  operation: OperationDefinitionNode
  fields: SelectedField[]
}

/** Undefined if the query cannot be parsed, as while it is written, or does not tell which of several operations runs. */
export function parseQuery(query: string, operationName?: string | null): ParsedQuery | undefined {
  try {
    const document = parse(query)
    const operation = getOperationAST(document, operationName)
    return operation ? { document, operation, fields: collectFields(operation.selectionSet, document) } : undefined
  } catch {
    return undefined
  }
}

function collectFields(selection: SelectionSetNode | undefined, document: DocumentNode): SelectedField[] {
  return (selection?.selections ?? []).flatMap(node => {
    if (node.kind === Kind.INLINE_FRAGMENT) return collectFields(node.selectionSet, document)
    if (node.kind === Kind.FRAGMENT_SPREAD) {
      const fragment = document.definitions.find(
        definition => definition.kind === Kind.FRAGMENT_DEFINITION && definition.name.value === node.name.value,
      )
      return fragment?.kind === Kind.FRAGMENT_DEFINITION ? collectFields(fragment.selectionSet, document) : []
    }
    const args = new Map(node.arguments?.map(({ name, value }) => [name.value, value]))
    const [name, alias] = [node.name.value, (node.alias ?? node.name).value]
    return name === '__typename' ? [] : [{ name, alias, args, fields: collectFields(node.selectionSet, document) }]
  })
}
