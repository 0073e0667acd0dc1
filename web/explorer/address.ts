/** The fragment of the address, which browsers do not send to servers: `question`, and `variables` as JSON. */

export interface Address {
  question?: string | undefined
  variables: Record<string, unknown>
}

export function parseAddress(fragment: string): Address {
  const { question, variables = '{}' } = Object.fromEntries(new URLSearchParams(fragment.replace(/^#/, '')))
  try {
    return { question, variables: { ...JSON.parse(variables) } }
  } catch {
    // An address that was cut when it was copied leads to the question all the same.
    return { question, variables: {} }
  }
}

export const formatAddress = ({ question = '', variables }: Address): string =>
  `#${new URLSearchParams({ question, variables: JSON.stringify(variables) })}`
