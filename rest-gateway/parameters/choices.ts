/** Parameters with a fixed set of values. */
import type { GraphQLEnumType } from 'graphql'
import { schema } from '../../resolvers/schema'
import type { Format } from '../formats/formats'
import { invalid, missing, optional, type Parameter } from './params'

/** Returns the values of an enum of the schema. */
export const enumValues = (type: string): string[] =>
  (schema.getType(type) as GraphQLEnumType).getValues().map(({ name }) => name)

/** Returns an optional parameter with a fixed set of values. */
const choice = (name: string, values: readonly string[], description: string, example: string): Parameter =>
  optional({
    ...{ name, description, example },
    type: 'String',
    schema: { type: 'string', enum: values },
    parse(text) {
      if (text !== undefined && !values.includes(text)) throw invalid(name, text, `one of ${values.join(', ')}`)
      return text ?? null
    },
  })

/** Returns an optional parameter with the values of an enum of the schema. */
const enumChoice = (name: string, type: string, description: string, example: string): Parameter => ({
  ...choice(name, enumValues(type), description, example),
  type,
})

const seriesGrain = (description: string, example: string): Parameter => ({
  ...enumChoice('grain', 'Grain', description, example),
  type: 'Grain!',
})

export const grain = required(seriesGrain('The length of a bucket.', 'hour'))

export const grainOrDay = withDefault(seriesGrain('The length of a bucket. Default: `day`.', 'day'), 'day')

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

const EXCEL =
  '`excel` is CSV for spreadsheets: it has a byte order mark, and an apostrophe before text that would be evaluated.'

const HIVESTACK =
  '`hivestack` is CSV with a row per asset, as Hivestack imports it: the columns `asset_id`, `impressions` (168 values, or those of `audience` if `seconds` is given) and `error`.'

/** Returns the parameters of the format, where a route has several. */
export function formatParameters(formats: readonly Format[]): Parameter[] {
  if (formats.length === 1) return []
  const hasHivestack = formats.includes('hivestack')
  const description = `The format. It takes precedence over \`Accept\`. ${EXCEL}${hasHivestack ? ` ${HIVESTACK}` : ''}`
  return [{ ...choice('output', formats, description, 'csv'), paging: true }, ...(hasHivestack ? [missingHours] : [])]
}

/** What Hivestack gets for hours without data. */
const missingHours: Parameter = {
  ...choice(
    'missing',
    ['0'],
    'With `output=hivestack`: the value of hours without data. Without it, an asset with such an hour has an `error` instead of values. To Hivestack, 0 means that the screen is not playable in this hour.',
    '0',
  ),
  paging: true,
  parse(text, { format }) {
    if (text === undefined) return null
    if (format !== 'hivestack') throw invalid('missing', text, 'left out unless output=hivestack')
    if (text !== '0') throw invalid('missing', text, '0')
    return 0
  },
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

function withDefault(parameter: Parameter, value: string): Parameter {
  return { ...parameter, parse: (text, request) => parameter.parse(text, request) ?? value }
}
