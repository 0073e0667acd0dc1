/**
 * Refuses text that PostgreSQL cannot store, and that therefore matches nothing: with U+0000, or with half of a surrogate
 * pair. Literals of a query are checked by a validation rule, variables when the operation is.
 */
import { type ASTVisitor, GraphQLError, type ValidationContext } from 'graphql'

const EXPECTED = 'must be valid Unicode without U+0000'

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
    if (!isInvalid(value)) continue
    const extensions = { code: 'BAD_USER_INPUT', http: { status: 400 } }
    throw new GraphQLError(`Variable "$${name}" got invalid text: it ${EXPECTED}.`, { extensions })
  }
}

function isInvalid(value: unknown): boolean {
  if (typeof value === 'string') return INVALID.test(value)
  return typeof value === 'object' && value !== null && Object.values(value).some(isInvalid)
}
