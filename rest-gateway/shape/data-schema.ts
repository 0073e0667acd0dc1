/**
 * Derives the JSON schema of a persisted query's result from its selection and the GraphQL schema, including nullability
 * and descriptions. A selection that is a single named fragment becomes a component of that name; any other object gets
 * its type's name as title.
 */
import {
  type DocumentNode,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNullableType,
  isEnumType,
  isListType,
  isNonNullType,
  isScalarType,
  Kind,
} from 'graphql'
import { type Fragments, readSelection, type Selection } from '../../resolvers/selection'
import type { ErrorCode } from '../../schema/errors'
import type { JsonSchema } from '../record'

export type Components = Record<string, JsonSchema>

/** Returns the JSON schema of a query's `data`. Adds the components it refers to. */
export function dataSchema(schema: GraphQLSchema, { definitions }: DocumentNode, components: Components): JsonSchema {
  const operation = definitions.find(definition => definition.kind === Kind.OPERATION_DEFINITION)
  const fragments: Fragments = Object.fromEntries(
    definitions.flatMap(each => (each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each]] : [])),
  )
  return objectSchema(readSelection(operation?.selectionSet, schema.getQueryType()!, fragments))

  function objectSchema({ type, fields, fragment }: Selection): JsonSchema {
    const properties = () =>
      Object.fromEntries(
        fields.map(({ key, field, selection }) => [
          key,
          described(typeSchema(field.type, selection), field.description),
        ]),
      )
    if (fragment === undefined) return titled(type.name, type, properties())
    components[fragment] ??= titled(fragment, type, properties())
    return { $ref: `#/components/schemas/${fragment}` }
  }

  function typeSchema(type: GraphQLOutputType, selection: Selection | undefined): JsonSchema {
    const nullableType = getNullableType(type)
    const inner = isListType(nullableType)
      ? { type: 'array', items: typeSchema(nullableType.ofType, selection) }
      : selection
        ? objectSchema(selection)
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

/** Returns the schema of an object with these properties. It allows others, because clients validate: fields may be added. */
export const objectWith = (properties: Record<string, JsonSchema>): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
})

/** Returns the schema of a property where it is not null. */
export function present(schema: JsonSchema, name: string): JsonSchema {
  const property = schema.properties?.[name]
  if (!property) throw new Error(`an envelope uses ${name}, which its query does not select`)
  const types = property.anyOf as JsonSchema[] | undefined
  return types?.find(type => type.type !== 'null') ?? property
}

/** Returns the schema of an error with one of these codes. */
export const errorSchema = (codes: readonly ErrorCode[]): JsonSchema => ({
  description: 'The error.',
  ...objectWith({
    code: { type: 'string', enum: codes, description: 'Machine-readable error code; stable.' },
    message: { type: 'string', description: 'Human-readable description of the error; the wording can change.' },
    details: { $ref: '#/components/schemas/ErrorDetails' },
  }),
})
