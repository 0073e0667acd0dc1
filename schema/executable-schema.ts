/** Builds executable schemas of the SDL. Tests check that the SDL is valid, so that a start does not. */
import { makeExecutableSchema } from '@graphql-tools/schema'
import { type DocumentNode, type GraphQLSchema, parse } from 'graphql'
import { typeDefs } from './sdl'

/** The SDL, parsed. */
export const sdl: DocumentNode = parse(typeDefs, { noLocation: true })

type ResolverMap = NonNullable<Parameters<typeof makeExecutableSchema>[0]['resolvers']>

/**
 * Returns the schema of a document with resolvers.
 *
 * @param document the SDL, or made from it
 * @throws Error for a resolver of a type or field that the document does not have
 */
export const buildExecutableSchema = (document: DocumentNode, resolvers: ResolverMap): GraphQLSchema =>
  makeExecutableSchema({ typeDefs: document, resolvers, assumeValid: true, assumeValidSDL: true })
