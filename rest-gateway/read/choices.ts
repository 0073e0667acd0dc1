/** Parameters with a fixed set of values. */

import type { GraphQLEnumType } from 'graphql'
import { schema } from '../../resolvers/schema'
import { invalidParameter } from '../../schema/errors'
import type { Format, Parameter } from '../record'
import { missing, optional } from './params'

export const enumValues = (type: string): string[] =>
  (schema.getType(type) as GraphQLEnumType).getValues().map(({ name }) => name)

const choice = (name: string, values: readonly string[], description: string, example: string): Parameter =>
  optional({
    ...{ name, description, example },
    type: 'String',
    schema: { type: 'string', enum: values },
    parse(text) {
      if (!values.includes(text)) throw invalidParameter(name, text, `one of ${values.join(', ')}`)
      return text
    },
  })

const enumChoice = (name: string, type: string, description: string, example: string): Parameter => ({
  ...choice(name, enumValues(type), description, example),
  type,
})

const seriesGrain = (description: string, example: string): Parameter => ({
  ...enumChoice('grain', 'Grain', description, example),
  type: 'Grain!',
})

export const grain = required(seriesGrain('The length of a bucket.', 'hour'))

export const grainOrDay: Parameter = {
  ...seriesGrain('The length of a bucket. Default: `day`.', 'day'),
  defaultValue: 'day',
}

export const aggregateGrain = enumChoice(
  'grain',
  'GroupGrain',
  'The length of a bucket. Default: `day`. Not allowed with `group_by=asset`.',
  'week',
)

export const groupBy = enumChoice(
  'group_by',
  'AggregateGroup',
  'The attribute by which rows are grouped. By default, all assets are combined.',
  'region',
)

/** Returns the parameters of the format, where a route has several. */
export function formatParameters(formats: readonly Format[]): Parameter[] {
  if (formats.length === 1) return []
  const description = 'The format. It takes precedence over `Accept`.'
  return [{ ...choice('output', formats, description, 'csv'), paging: true }]
}

function required(parameter: Parameter): Parameter {
  const { name, errors } = parameter
  return {
    ...parameter,
    required: true,
    errors: ['REQUIRED_PARAMETER', ...errors],
    parse(text, request) {
      if (!text) throw missing(name)
      return parameter.parse(text, request)
    },
  }
}
