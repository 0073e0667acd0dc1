/** Reads what the operator states about the methodology: JSON that has to fit the types that serve it, in the spelling of REST. */
import * as graphql from 'graphql'
import { snakeCase } from '../db/assets/attributes'
import { type OperatorStatement, STATED } from './methodology'
import { schema } from './schema'

/** @throws SyntaxError for what is no JSON, GraphQLError for the first field that does not fit */
export function readStatement(json: string): OperatorStatement {
  const served = (schema.getType('Methodology') as graphql.GraphQLObjectType).getFields()
  const fields = STATED.map(name => ({ name: snakeCase(name), type: graphql.getNullableType(served[name]!.type) }))
  const type = new graphql.GraphQLNonNull(inputObject('OperatorStatement', fields))
  const stated = graphql.coerceInputValue(JSON.parse(json), type) as Record<string, unknown>
  return Object.fromEntries(STATED.map(name => [name, stated[snakeCase(name)]])) as OperatorStatement
}

/** Fields that may be null may be missing. */
function inputObject(name: string, served: { name: string; type: graphql.GraphQLOutputType }[]) {
  const fields = served.map(({ name, type }) => {
    const defaultValue = graphql.isNonNullType(type) ? undefined : null
    return [name, { type: inputOf(type), defaultValue }]
  })
  return new graphql.GraphQLInputObjectType({ name, fields: Object.fromEntries(fields) })
}

/** Returns the type of JSON from which a value of an output type can be served. */
function inputOf(type: graphql.GraphQLOutputType): graphql.GraphQLInputType {
  if (graphql.isNonNullType(type)) return new graphql.GraphQLNonNull(inputOf(type.ofType))
  if (graphql.isListType(type)) return new graphql.GraphQLList(inputOf(type.ofType))
  if (graphql.isObjectType(type)) return inputObject(type.name, Object.values(type.getFields()))
  if (!graphql.isEnumType(type)) return type as graphql.GraphQLScalarType
  const config = type.toConfig()
  // Errors have the name of the type, and so the values.
  return new graphql.GraphQLEnumType({ ...config, name: Object.keys(config.values).join('_or_') })
}
