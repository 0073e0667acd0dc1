/** Executes GraphQL queries on the schema with the scope of a key, without HTTP. */
import { type ExecutionResult, graphql } from 'graphql'
import { keyHash } from '../../db/api-keys/key-format'
import { Context } from '../../resolvers/context'
import { schema } from '../../resolvers/schema'
import type { Service } from './service'

export async function query(
  service: Service,
  key: string,
  source: string,
  variables: object = {},
): Promise<ExecutionResult> {
  const reader = service.gateway.database.readerFor(keyHash(key))
  await reader.authenticate()
  const contextValue = new Context(reader, 0)
  const result = await graphql({ schema, source, variableValues: { ...variables }, contextValue })
  return JSON.parse(JSON.stringify(result))
}

/** Returns the data of a query; errors fail the test. */
// biome-ignore lint/suspicious/noExplicitAny: tests read the data freely
export async function queryData(service: Service, key: string, source: string, variables: object = {}): Promise<any> {
  const { data, errors } = await query(service, key, source, variables)
  expect(errors).toBeUndefined()
  return data
}
