/** Evaluates `@skip` and `@include`. */
import { GraphQLIncludeDirective, GraphQLSkipDirective, getDirectiveValues, type SelectionNode } from 'graphql'

/** Returns whether `@skip` or `@include` exclude a selection. @param variables coerced */
export function isSkipped(node: SelectionNode, variables: Record<string, unknown>): boolean {
  if (!node.directives?.length) return false
  if (getDirectiveValues(GraphQLSkipDirective, node, variables)?.if === true) return true
  return getDirectiveValues(GraphQLIncludeDirective, node, variables)?.if === false
}
