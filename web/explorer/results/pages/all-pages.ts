/** Reads all pages of a list, where a result has only one. */
import { type FieldNode, Kind, type OperationDefinitionNode, print, type SelectionNode, visit } from 'graphql'
import { parseQuery } from '../../parse-query'

type Page = Record<string, unknown> & { nodes: unknown[] }
type Data = Record<string, unknown>

export interface PagedQuery {
  /** The name of the list in the result. */
  alias: string
  /** Reads one page; its variable CURSOR is the position after which it begins. */
  query: string
}

export const CURSOR = 'explorerCursor'

/** The fields that return pages, and the field of a page that has the position of the next one. */
const POSITIONS: Record<string, string> = { assets: 'last', sensors: 'last', changes: 'next' }

const MAX_NODES = 100_000

const field = (name: string, more: Partial<FieldNode> = {}): FieldNode => ({
  kind: Kind.FIELD,
  name: { kind: Kind.NAME, value: name },
  ...more,
})

/** Returns the query for all pages of the first list in a result that has more of them; undefined if there is none. */
export function findPagedQuery(query: string, data: unknown): PagedQuery | undefined {
  const { document, operation } = parseQuery(query) ?? {}
  // Fragments are not followed: a query that has them is left as it is.
  if (!operation || document?.definitions.length !== 1) return undefined
  for (const selection of operation.selectionSet.selections) {
    if (selection.kind !== Kind.FIELD || !(selection.name.value in POSITIONS)) continue
    const alias = selection.alias?.value ?? selection.name.value
    const page = (data as Data | undefined)?.[alias] as Page | undefined
    const nodes = selection.selectionSet?.selections.filter(isNodes) ?? []
    if (page?.hasMore === true && nodes.length > 0) return { alias, query: createQuery(operation, selection, nodes) }
  }
  return undefined
}

/**
 * Reads all pages and returns the data with the nodes of all of them.
 *
 * @param readPage executes a query and returns its data
 * @param onProgress receives the number of nodes read so far
 */
export async function readAllPages(
  { alias, query }: PagedQuery,
  data: Data,
  readPage: (query: string, cursor: unknown) => Promise<Data>,
  onProgress: (count: number) => void,
): Promise<Data> {
  const nodes: unknown[] = []
  let cursor: unknown = null
  let hasMore = true
  while (hasMore && nodes.length < MAX_NODES) {
    const page = (await readPage(query, cursor))[alias] as Page & { position: unknown; hasMore: boolean }
    nodes.push(...page.nodes)
    hasMore = page.hasMore
    cursor = page.position
    onProgress(nodes.length)
  }
  return { ...data, [alias]: { ...(data[alias] as Page), nodes, hasMore } }
}

const isNodes = (selection: SelectionNode): boolean =>
  selection.kind === Kind.FIELD && selection.name.value === 'nodes' && selection.alias === undefined

function createQuery(operation: OperationDefinitionNode, list: FieldNode, nodes: SelectionNode[]): string {
  const cursor = { kind: Kind.VARIABLE, name: { kind: Kind.NAME, value: CURSOR } } as const
  const position = field(POSITIONS[list.name.value]!, { alias: { kind: Kind.NAME, value: 'position' } })
  const paged: FieldNode = {
    ...list,
    arguments: [
      ...(list.arguments ?? []).filter(({ name }) => name.value !== 'after'),
      { kind: Kind.ARGUMENT, name: { kind: Kind.NAME, value: 'after' }, value: cursor },
    ],
    selectionSet: { kind: Kind.SELECTION_SET, selections: [...nodes, field('hasMore'), position] },
  }
  const used = new Set<string>()
  visit(paged, { Variable: ({ name }) => void used.add(name.value) })
  return print({
    ...operation,
    variableDefinitions: [
      ...(operation.variableDefinitions ?? []).filter(({ variable }) => used.has(variable.name.value)),
      {
        kind: Kind.VARIABLE_DEFINITION,
        variable: cursor,
        type: { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: 'ID' } },
      },
    ],
    selectionSet: { kind: Kind.SELECTION_SET, selections: [paged] },
  })
}
