/**
 * Prefills the parameters of the OpenAPI document so that one click sends a request that returns data. Dates are set to
 * the last days. Optional parameters stay empty; their example moves to the description.
 */

interface Parameter {
  name: string
  description: string
  required: boolean
  schema: { format?: string }
  example?: unknown
}

export interface OpenApi {
  paths: Record<string, { get: { parameters: Parameter[]; 'x-graphql-query'?: string } }>
}

const RANGE_STARTS = ['from_date', 'start']
const RANGE_DAYS = 7

export function prepareTryOut(document: OpenApi): OpenApi {
  for (const { get } of Object.values(document.paths)) {
    for (const parameter of get.parameters) {
      if (parameter.schema.format === 'date') {
        parameter.example = daysAgo(RANGE_STARTS.includes(parameter.name) ? RANGE_DAYS : 1)
      } else if (!parameter.required) {
        parameter.description += ` Example: \`${parameter.example}\`.`
        delete parameter.example
      }
    }
  }
  return document
}

const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
