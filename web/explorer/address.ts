/**
 * The fragment of the address, which browsers do not send to servers: `question` or, in GraphiQL, `query`, and `variables` as
 * JSON.
 */

export interface Address {
  question?: string | undefined
  query?: string | undefined
  variables: Record<string, unknown>
}

export function parseAddress(fragment: string): Address {
  const { question, query, variables = '{}' } = Object.fromEntries(new URLSearchParams(fragment.replace(/^#/, '')))
  try {
    return { question, query, variables: { ...JSON.parse(variables) } }
  } catch {
    // An address that was cut when it was copied leads to the question all the same.
    return { question, query, variables: {} }
  }
}

export function formatAddress({ question, query, variables }: Address): string {
  const values = new URLSearchParams(query === undefined ? { question: question ?? '' } : { query })
  if (Object.keys(variables).length > 0) values.set('variables', JSON.stringify(variables))
  return `#${values}`
}
