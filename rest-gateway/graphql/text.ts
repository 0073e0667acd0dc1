/**
 * Refuses text that PostgreSQL cannot store, and that therefore matches nothing: with U+0000, or with half of a surrogate
 * pair. Literals of a query are checked by a validation rule, variables when the operation is. Names of fields in variables are bounded before these are coerced.
 */
import { type ASTVisitor, GraphQLError, type ValidationContext } from 'graphql'

const EXPECTED = 'must be valid Unicode without U+0000'

/** Longer than the name of any field. Messages about unknown fields print their names and look for similar ones. */
const MAX_NAME = 200

const INVALID = /\0|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/

/** Returns a validation rule for string literals. */
export const validText = (context: ValidationContext): ASTVisitor => ({
  StringValue(node) {
    if (INVALID.test(node.value)) context.reportError(new GraphQLError(`Text ${EXPECTED}.`, { nodes: node }))
  },
})

/** @throws GraphQLError BAD_USER_INPUT that names the variable */
export function checkVariables(variables: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(variables)) {
    if (isInvalid(value)) throw invalid(`Variable "$${name}" got invalid text: it ${EXPECTED}.`)
  }
}

/** @throws GraphQLError BAD_USER_INPUT that names the variable, for the name of a field that is too long */
export function checkFieldNames(variables: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(variables)) {
    if (hasLongName(value))
      throw invalid(`Variable "$${name}" has a field whose name is longer than ${MAX_NAME} characters.`)
  }
}

const hasLongName = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  Object.entries(value).some(([name, item]) => name.length > MAX_NAME || hasLongName(item))

const invalid = (message: string): GraphQLError =>
  new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT', http: { status: 400 } } })

function isInvalid(value: unknown): boolean {
  if (typeof value === 'string') return INVALID.test(value)
  return typeof value === 'object' && value !== null && Object.values(value).some(isInvalid)
}
