/** Builds executable schemas of the SDL. The general @graphql-tools/schema takes four times the CPU for it at each start. */
import { buildASTSchema, type DocumentNode, type GraphQLSchema, isObjectType, isScalarType, parse } from 'graphql'
import { typeDefs } from './sdl'

/** The SDL, parsed. Tests check that it is valid, so that a start does not. */
export const sdl: DocumentNode = parse(typeDefs, { noLocation: true })

/** Resolvers of fields by type and field, and definitions of scalars by type. */
type Resolvers = Readonly<Record<string, object>>

/**
 * Returns the schema of a document with resolvers.
 *
 * @param document the SDL, or made from it
 * @throws Error for a resolver of a type or field that the document does not have
 */
export function buildExecutableSchema(document: DocumentNode, resolvers: Resolvers): GraphQLSchema {
  const schema = buildASTSchema(document, { assumeValidSDL: true })
  for (const [name, definition] of Object.entries(resolvers)) {
    const type = schema.getType(name)
    if (isScalarType(type)) Object.assign(type, definition)
    else {
      const fields = isObjectType(type) ? type.getFields() : {}
      for (const [field, resolve] of Object.entries(definition)) {
        if (!fields[field]) throw new Error(`there is a resolver, but no field ${name}.${field}`)
        fields[field].resolve = resolve
      }
    }
  }
  return schema
}
