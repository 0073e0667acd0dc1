/** The arguments with which a query asked for a list, such as its range of days. */
import { valueFromASTUntyped } from 'graphql'
import { parseQuery } from '../../parse-query'

export interface QueryArguments {
  fromDate?: string
  toDate?: string
  grain?: string
  assetId?: string
}

const NAMES = ['fromDate', 'toDate', 'grain', 'assetId'] as const

/**
 * Returns the arguments of the fields that contain a list.
 *
 * @param path the name of the list's table: the names of the fields, without `nodes` and `rows`
 */
export function findArguments(query: string, variables: Record<string, unknown>, path: string): QueryArguments {
  const found: QueryArguments = {}
  let fields = parseQuery(query)?.fields ?? []
  for (const name of path.split('.')) {
    const wrapped = fields.find(field => ['nodes', 'rows'].includes(field.name))?.fields ?? []
    const field = [...fields, ...wrapped].find(({ alias }) => alias === name)
    for (const known of NAMES) {
      const argument = field?.args.get(known)
      const value = argument && valueFromASTUntyped(argument, variables)
      if (typeof value === 'string') found[known] = value
    }
    fields = field?.fields ?? []
  }
  return found
}
