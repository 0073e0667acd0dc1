/** The vocabulary's own scalars. Each carries its JSON schema, from which the documents are made. */
import { GraphQLError, type GraphQLScalarType, type ValueNode, valueFromASTUntyped } from 'graphql'
import { isDate } from '../db/calendar/local-days'
import { AGE_BANDS } from '../schema/demographic-groups'

/**
 * A scalar of which `accepts` says what is of it; it goes in and out as it is. What comes from the database needs no closer
 * look than `tells` takes. Its description stays the vocabulary's.
 */
function scalar(name: string, schema: object, accepts: Check, tells = accepts): GraphQLScalarType {
  const checked = (by: Check) => (value: unknown) => {
    if (!by(value)) throw new GraphQLError(`${JSON.stringify(value)} is not a ${name}`)
    return value
  }
  const parseValue = checked(accepts)
  const parseLiteral = (node: ValueNode, variables: Variables) => parseValue(valueFromASTUntyped(node, variables))
  const config = { serialize: checked(tells), parseValue, parseLiteral, extensions: { schema } }
  return config as unknown as GraphQLScalarType
}

type Check = (value: unknown) => boolean

const isText: Check = value => typeof value === 'string'

type Variables = Parameters<typeof valueFromASTUntyped>[1]

export const scalars = {
  Date: scalar('Date', { type: 'string', format: 'date' }, value => typeof value === 'string' && isDate(value), isText),
  DateTime: scalar('DateTime', { type: 'string', format: 'date-time' }, isText),
  Count: scalar(
    'Count',
    { type: 'integer', minimum: 0 },
    value => Number.isSafeInteger(value) && (value as number) >= 0,
  ),
  Int64: scalar('Int64', { type: 'integer' }, value => Number.isSafeInteger(value)),
  AgeBand: scalar('AgeBand', { type: 'string', enum: [...AGE_BANDS] }, value => AGE_BANDS.includes(value as '65+')),
}
