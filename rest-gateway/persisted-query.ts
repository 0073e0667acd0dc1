/** Persisted queries: each is validated and compiled at boot, and executed for every request to its route. */
import { type DocumentNode, Kind, type OperationDefinitionNode, parse, print, validate } from 'graphql'
import { compileQuery, isCompiledQuery } from 'graphql-jit'
import { nestedRestSchema, restSchema } from '../resolvers/rest-schema'
import { schema } from '../resolvers/schema'
import type { PersistedQuery, RouteRecord } from './record'

/** @throws Error when a record does not fit the schema, so that the service does not start */
export function compilePersistedQuery(record: RouteRecord): PersistedQuery {
  const { operation, path, query } = record
  const error = (reason: string) => new Error(`${operation} (${path}): ${reason}`)
  const document = parse(query)
  const [invalid] = validate(schema, document)
  if (invalid) throw error(invalid.message)
  checkOperation(record, document, error)
  // Resolvers return exact types, and a test runs every query through graphql-js too.
  const executing = record.envelope.nested ? nestedRestSchema : restSchema
  const compiled = compileQuery(executing, document, operation, { disableLeafSerialization: true })
  if (!isCompiledQuery(compiled)) throw error(compiled.errors?.[0]?.message ?? 'its query does not compile')
  return { document, execute: compiled.query as PersistedQuery['execute'] }
}

function checkOperation(record: RouteRecord, document: DocumentNode, error: (reason: string) => Error): void {
  const operation = document.definitions.find(({ kind }) => kind === Kind.OPERATION_DEFINITION) as
    | OperationDefinitionNode
    | undefined
  if (operation?.name?.value !== record.operation) throw error('its query has another operation name')
  const variables = operation.variableDefinitions?.map(({ variable, type }) => `${variable.name.value}: ${print(type)}`)
  const parameters = record.parameters.map(({ name, type }) => `${name}: ${type}`)
  if (variables?.toSorted().join() !== parameters.toSorted().join()) {
    throw error(`the variables of its query (${variables?.join()}) are not its parameters (${parameters.join()})`)
  }
}
