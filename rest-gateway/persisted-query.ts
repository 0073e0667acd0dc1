/** Persisted queries: each is validated and compiled at boot, and executed for every request to its route. */
import { parse, validate } from 'graphql'
import { compileQuery, isCompiledQuery } from 'graphql-jit'
import { nestedRestSchema, restSchema } from '../resolvers/rest-schema'
import { schema } from '../resolvers/schema'
import type { PersistedQuery, RouteRecord } from './record'

/** @throws Error when a record does not fit the schema, so that the service does not start; for a parameter that it does not use, too */
export function compilePersistedQuery({ operation, path, query, parameters, envelope }: RouteRecord): PersistedQuery {
  const error = (reason: string) => new Error(`${operation} (${path}): ${reason}`)
  const variables = parameters.map(({ name, type }) => `$${name}: ${type}`)
  const document = parse(`query ${operation}${variables.length > 0 ? `(${variables})` : ''} ${query}`)
  const [invalid] = validate(schema, document)
  if (invalid) throw error(invalid.message)
  // Resolvers return exact types.
  const executing = envelope.nested ? nestedRestSchema : restSchema
  const compiled = compileQuery(executing, document, operation, { disableLeafSerialization: true })
  if (!isCompiledQuery(compiled)) throw error(compiled.errors?.[0]?.message ?? 'its query does not compile')
  return { document, execute: compiled.query as PersistedQuery['execute'] }
}
