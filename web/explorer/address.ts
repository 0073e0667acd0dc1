/**
 * The fragment of the address, which browsers do not send to servers: `question` or, in GraphiQL, `query`, and `variables` as
 * JSON.
 */

export interface Address {
  question?: string
  query?: string
  variables: Record<string, unknown>
}

export function parseAddress(fragment: string): Address {
  const values = new URLSearchParams(fragment.replace(/^#/, ''))
  const [question, query] = [values.get('question'), values.get('query')]
  return {
    ...(question !== null && { question }),
    ...(query !== null && { query }),
    variables: parseVariables(values.get('variables')),
  }
}

/** Returns no variables for a text that is not an object. */
function parseVariables(text: string | null): Record<string, unknown> {
  try {
    const values: unknown = JSON.parse(text ?? '{}')
    return typeof values === 'object' && values !== null && !Array.isArray(values) ? { ...values } : {}
  } catch {
    return {}
  }
}

export function formatAddress({ question, query, variables }: Address): string {
  const values = new URLSearchParams(query === undefined ? { question: question ?? '' } : { query })
  if (Object.keys(variables).length > 0) values.set('variables', JSON.stringify(variables))
  return `#${values}`
}
