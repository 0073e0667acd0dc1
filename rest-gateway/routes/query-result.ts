/** The data of an executed query. */
import type { ExecutionResult } from 'graphql'
import { ApiError, type ErrorCode } from '../../schema/errors'

/**
 * @param errorsOfNodes codes of errors that are part of the data, in place of the value that failed
 * @throws the first other error of a resolver
 */
export function readData(
  result: ExecutionResult | undefined,
  errorsOfNodes: readonly ErrorCode[] = [],
): Record<string, unknown> {
  for (const error of result?.errors ?? []) {
    const { originalError, path } = error
    const isOfNode = originalError instanceof ApiError && errorsOfNodes.includes(originalError.code)
    if (!isOfNode || !result?.data || !path) throw originalError ?? error
    const parent = path
      .slice(0, -1)
      .reduce((value, key) => (value as Record<string, unknown>)[key], result.data as unknown)
    ;(parent as Record<string, unknown>)[path.at(-1) as string] = originalError
  }
  if (!result?.data) throw new Error('a query returned neither data nor errors')
  return result.data
}
