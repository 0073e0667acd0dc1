/**
 * The JSON schema of what a fixed query answers, found by walking its selection over the vocabulary: types, nullability
 * and descriptions come along. A selection that is one named fragment becomes a component of that name;
 * any other object has its type's name as a title.
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
import { closed, type JsonSchema } from '../routes/envelopes'

/** The components found on the way, by name. */
export type Components = Record<string, JsonSchema>

/** The schema of a query's data. */
export function dataSchema(schema: GraphQLSchema, document: DocumentNode, components: Components): JsonSchema {
  const fragments = new Map<string, FragmentDefinitionNode>()
  let selection: SelectionSetNode | undefined
  for (const definition of document.definitions) {
    if (definition.kind === 'FragmentDefinition') fragments.set(definition.name.value, definition)
    else if (definition.kind === 'OperationDefinition') selection = definition.selectionSet
  }
  if (!selection) throw new Error('a document without an operation')
  return objectSchema(selection, schema.getQueryType() as GraphQLObjectType)

  function objectSchema({ selections }: SelectionSetNode, type: GraphQLObjectType): JsonSchema {
    const [only, ...more] = selections
    if (only?.kind === 'FragmentSpread' && more.length === 0) {
      const name = only.name.value
      components[name] ??= titled(name, type, properties(fragment(name).selectionSet, type))
      return { $ref: `#/components/schemas/${name}` }
    }
    return titled(type.name, type, properties({ selections } as SelectionSetNode, type))
  }

  function properties({ selections }: SelectionSetNode, type: GraphQLObjectType): Record<string, JsonSchema> {
    const found: Record<string, JsonSchema> = {}
    for (const node of selections) {
      if (node.kind === 'Field') {
        const field = type.getFields()[node.name.value]
        if (!field) throw new Error(`${type.name} has no ${node.name.value}`)
        found[(node.alias ?? node.name).value] = described(typeSchema(field.type, node.selectionSet), field.description)
      } else if (node.kind === 'FragmentSpread') {
        Object.assign(found, properties(fragment(node.name.value).selectionSet, type))
      } else Object.assign(found, properties(node.selectionSet, type))
    }
    return found
  }

  function typeSchema(type: GraphQLOutputType, selectionSet: SelectionSetNode | undefined): JsonSchema {
    const known = getNullableType(type)
    const inner = isListType(known)
      ? { type: 'array', items: typeSchema(known.ofType, selectionSet) }
      : selectionSet
        ? objectSchema(selectionSet, known as GraphQLObjectType)
        : leafSchema(known as GraphQLNamedType)
    return isNonNullType(type) ? inner : nullable(inner)
  }

  function fragment(name: string): FragmentDefinitionNode {
    return fragments.get(name) as FragmentDefinitionNode
  }
}

function titled(title: string, { description }: GraphQLObjectType, properties: Record<string, JsonSchema>): JsonSchema {
  return described({ title, ...closed(properties) }, description)
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

function nullable(schema: JsonSchema): JsonSchema {
  if (typeof schema.type !== 'string' || schema.type === 'object') return { anyOf: [schema, { type: 'null' }] }
  const values = schema.enum as unknown[] | undefined
  return { ...schema, type: [schema.type, 'null'], ...(values && { enum: [...values, null] }) }
}

const described = (schema: JsonSchema, description: string | null | undefined): JsonSchema =>
  description ? { ...schema, description } : schema
