/**
 * The OpenAPI document made ready to try: what has to be filled in is, so that one press of a button gets numbers. Days
 * are those just before today, and what may be left out is left empty, with its example told in words.
 */

interface Parameter {
  name: string
  description: string
  required: boolean
  schema: { format?: string }
  example?: unknown
}

export interface OpenApi {
  paths: Record<string, { get: { parameters: Parameter[] } }>
}

const FIRST = ['from_date', 'start']
const WEEK = 7

export function readyToTry(document: OpenApi): OpenApi {
  for (const { get } of Object.values(document.paths)) {
    for (const parameter of get.parameters) {
      if (parameter.schema.format === 'date') {
        parameter.example = daysAgo(FIRST.includes(parameter.name) ? WEEK : 1)
      } else if (!parameter.required) {
        parameter.description += ` For example \`${parameter.example}\`.`
        delete parameter.example
      }
    }
  }
  return document
}

const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
