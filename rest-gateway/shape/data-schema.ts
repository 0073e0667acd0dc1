/**
 * Derives the JSON schema of a persisted query's result from its selection and the GraphQL schema, including nullability
 * and descriptions. A selection that is a single named fragment becomes a component of that name; any other object gets
 * its type's name as title.
 */
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNullableType,
  isEnumType,
  isListType,
  isNonNullType,
  isScalarType,
  type SelectionSetNode,
} from 'graphql'
import type { JsonSchema } from '../record'
import { objectWith } from './schemas'

/** Component schemas by name. */
export type Components = Record<string, JsonSchema>

/** Returns the JSON schema of a query's `data`. Adds the components it refers to. */
export function dataSchema(schema: GraphQLSchema, document: DocumentNode, components: Components): JsonSchema {
  const fragments = new Map<string, FragmentDefinitionNode>()
  let selection: SelectionSetNode | undefined
  for (const definition of document.definitions) {
    if (definition.kind === 'FragmentDefinition') fragments.set(definition.name.value, definition)
    else if (definition.kind === 'OperationDefinition') selection = definition.selectionSet
  }
  if (!selection) throw new Error('the document has no operation')
  return objectSchema(selection, schema.getQueryType()!)

  function objectSchema({ selections }: SelectionSetNode, type: GraphQLObjectType): JsonSchema {
    const [only, ...more] = selections
    if (only?.kind === 'FragmentSpread' && more.length === 0) {
      const name = only.name.value
      components[name] ??= titled(name, type, properties(fragments.get(name)!.selectionSet, type))
      return { $ref: `#/components/schemas/${name}` }
    }
    return titled(type.name, type, properties({ selections } as SelectionSetNode, type))
  }

  function properties({ selections }: SelectionSetNode, type: GraphQLObjectType): Record<string, JsonSchema> {
    const schemas: Record<string, JsonSchema> = {}
    for (const node of selections) {
      if (node.kind === 'Field') {
        const field = type.getFields()[node.name.value]
        if (!field) throw new Error(`${type.name} has no ${node.name.value}`)
        schemas[(node.alias ?? node.name).value] = described(
          typeSchema(field.type, node.selectionSet),
          field.description,
        )
      } else if (node.kind === 'FragmentSpread') {
        Object.assign(schemas, properties(fragments.get(node.name.value)!.selectionSet, type))
      } else Object.assign(schemas, properties(node.selectionSet, type))
    }
    return schemas
  }

  function typeSchema(type: GraphQLOutputType, selectionSet: SelectionSetNode | undefined): JsonSchema {
    const nullableType = getNullableType(type)
    const inner = isListType(nullableType)
      ? { type: 'array', items: typeSchema(nullableType.ofType, selectionSet) }
      : selectionSet
        ? objectSchema(selectionSet, nullableType as GraphQLObjectType)
        : leafSchema(nullableType as GraphQLNamedType)
    return isNonNullType(type) ? inner : nullable(inner)
  }
}

function titled(title: string, { description }: GraphQLObjectType, properties: Record<string, JsonSchema>): JsonSchema {
  return described({ title, ...objectWith(properties) }, description)
}

const BUILT_IN: Record<string, JsonSchema> = {
  ID: { type: 'string' },
  String: { type: 'string' },
  Int: { type: 'integer' },
  Float: { type: 'number' },
  Boolean: { type: 'boolean' },
}

function leafSchema(type: GraphQLNamedType): JsonSchema {
  if (isEnumType(type)) return { type: 'string', enum: type.getValues().map(({ name }) => name) }
  const schema = isScalarType(type) ? (BUILT_IN[type.name] ?? (type.extensions.schema as JsonSchema)) : undefined
  if (!schema) throw new Error(`${type.name} has no JSON schema`)
  return schema
}

/** Generators of clients read a null among the values of an enum as text, or not at all. */
function nullable(schema: JsonSchema): JsonSchema {
  const { type } = schema
  if (typeof type !== 'string' || type === 'object' || schema.enum) return { anyOf: [schema, { type: 'null' }] }
  return { ...schema, type: [type, 'null'] }
}

const described = (schema: JsonSchema, description: string | null | undefined): JsonSchema =>
  description ? { ...schema, description } : schema
