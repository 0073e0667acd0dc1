/** Runs ad hoc queries on the schema, as an analyst does. */
import { type ExecutionResult, graphql } from 'graphql'
import { keyHash } from '../../db/api-keys/key-format'
import { Context } from '../../resolvers/context'
import { schema } from '../../resolvers/schema'
import type { Service } from './service'

/** What the holder of a key is answered. */
export async function ask(
  service: Service,
  key: string,
  source: string,
  variables: object = {},
): Promise<ExecutionResult> {
  const reader = service.gateway.database.readerFor(keyHash(key))
  await reader.authenticate()
  const contextValue = new Context(reader, 0)
  const answer = await graphql({ schema, source, variableValues: { ...variables }, contextValue })
  return JSON.parse(JSON.stringify(answer))
}

/** The same, where no error may come of it. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into the data freely
export async function dataOf(service: Service, key: string, source: string, variables: object = {}): Promise<any> {
  const { data, errors } = await ask(service, key, source, variables)
  expect(errors).toBeUndefined()
  return data
}
