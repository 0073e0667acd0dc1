/** Counts the values and bytes of introspection, exactly: its objects are those of the schema, and most are met many times. */
import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  isObjectType,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
} from 'graphql'
import { isSkipped } from './skipped'
import { valueBytes } from './value-bytes'

const META_FIELDS = [SchemaMetaFieldDef, TypeMetaFieldDef]

/** Counting ends here. */
const MAX_VALUES = 200_000

export const isIntrospection = ({ name }: FieldNode): boolean => META_FIELDS.some(field => field.name === name.value)

export function introspectionCost(
  schema: GraphQLSchema,
  node: FieldNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  variables: Record<string, unknown>,
): { values: number; bytes: number } {
  const info = { schema } as GraphQLResolveInfo
  const cost = { values: 0, bytes: 0 }
  const field = META_FIELDS.find(({ name }) => name === node.name.value)!
  count(node, field, new Map([[undefined, 1]]))
  return cost

  /** @param parents with the number of times that each is met */
  function selection(set: SelectionSetNode, type: GraphQLObjectType, parents: Map<unknown, number>): void {
    for (const node of set.selections) {
      if (cost.values > MAX_VALUES || isSkipped(node, variables)) continue
      if (node.kind === 'Field') count(node, type.getFields()[node.name.value], parents)
      else {
        const fragment = node.kind === 'InlineFragment' ? node : fragments.get(node.name.value)
        if (fragment) selection(fragment.selectionSet, type, parents)
      }
    }
  }

  function count(node: FieldNode, field: typeof SchemaMetaFieldDef | undefined, parents: Map<unknown, number>): void {
    const overhead = valueBytes((node.alias ?? node.name).value, undefined)
    const args = field && getArgumentValues(field, node, variables)
    const children = new Map<unknown, number>()
    for (const [parent, times] of parents) {
      const value = field?.resolve?.(parent, args ?? {}, undefined, info)
      cost.bytes += times * overhead
      if (field && node.selectionSet) {
        for (const child of [value].flat()) if (child != null) children.set(child, (children.get(child) ?? 0) + times)
      } else {
        cost.values += times
        cost.bytes += times * (JSON.stringify(value)?.length ?? 0)
      }
    }
    const type = field && getNamedType(field.type)
    if (node.selectionSet && isObjectType(type) && children.size > 0) selection(node.selectionSet, type, children)
  }
}
