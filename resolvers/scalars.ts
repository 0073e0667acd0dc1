/** The custom scalars of the schema. Each carries its JSON schema for the OpenAPI document. */
import { GraphQLError, type GraphQLScalarType, type ValueNode, valueFromASTUntyped } from 'graphql'
import { isInstant } from '../db/calendar/instants'
import { isDate } from '../db/calendar/local-days'
import { AGE_BANDS } from '../db/queries/demographics'

/** Returns a scalar that passes valid values on unchanged. @param isOutput checks what the database returns */
function scalar(name: string, schema: object, isInput: Check, isOutput = isInput): GraphQLScalarType {
  const checked = (isValid: Check) => (value: unknown) => {
    if (!isValid(value)) throw new GraphQLError(`${JSON.stringify(value)} is not a ${name}`)
    return value
  }
  const parseValue = checked(isInput)
  const parseLiteral = (node: ValueNode, variables: Variables) => parseValue(valueFromASTUntyped(node, variables))
  const config = { serialize: checked(isOutput), parseValue, parseLiteral, extensions: { schema } }
  return config as unknown as GraphQLScalarType
}

type Check = (value: unknown) => boolean

const isText: Check = value => typeof value === 'string'

type Variables = Parameters<typeof valueFromASTUntyped>[1]

export const scalars = {
  Date: scalar('Date', { type: 'string', format: 'date' }, value => typeof value === 'string' && isDate(value), isText),
  DateTime: scalar(
    'DateTime',
    { type: 'string', format: 'date-time' },
    value => typeof value === 'string' && isInstant(value),
    isText,
  ),
  Count: scalar(
    'Count',
    { type: 'integer', minimum: 0 },
    value => Number.isSafeInteger(value) && (value as number) >= 0,
  ),
  ExternalIds: scalar(
    'ExternalIds',
    { type: 'object', additionalProperties: { type: 'string' } },
    value => typeof value === 'object' && value !== null,
  ),
  AgeBand: scalar('AgeBand', { type: 'string', enum: [...AGE_BANDS] }, value => AGE_BANDS.includes(value as '65+')),
}
