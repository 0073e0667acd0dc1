/** Builds executable schemas of the SDL. Tests check that the SDL is valid, so that a start does not. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeExecutableSchema } from '@graphql-tools/schema'
import { type DocumentNode, type GraphQLSchema, parse } from 'graphql'

/** The SDL of the schema: the .graphql files, one per noun, joined. */
const typeDefs: string = readdirSync(__dirname)
  .filter(name => name.endsWith('.graphql'))
  .sort()
  .map(name => readFileSync(join(__dirname, name), 'utf8'))
  .join('\n')

/** The SDL, parsed. */
export const sdl: DocumentNode = parse(typeDefs, { noLocation: true })

type SchemaOptions = Parameters<typeof makeExecutableSchema>[0]

/**
 * Returns the schema of a document with resolvers.
 *
 * @param document the SDL, or made from it
 * @param options by default, each type with resolvers is a copy
 * @throws Error for a resolver of a type or field that the document does not have
 */
export const buildExecutableSchema = (
  document: DocumentNode,
  resolvers: NonNullable<SchemaOptions['resolvers']>,
  options: Pick<SchemaOptions, 'updateResolversInPlace'> = {},
): GraphQLSchema =>
  makeExecutableSchema({ typeDefs: document, resolvers, assumeValid: true, assumeValidSDL: true, ...options })
