/** Recorded values in one line. */

/** Returns names and values that are not empty, e.g. `file a.csv, skip faulty`. */
export function summarizeValues(values: Record<string, unknown>): string {
  return Object.entries(values)
    .map(([name, value]) => [wordsOf(name), summarizeValue(value)] as const)
    .filter(([, text]) => text !== '' && text !== '0')
    .map(([name, text]) => (text === 'true' ? name : `${name} ${text}`))
    .join(', ')
}

/** Options are recorded by their property, such as `skipFaulty`; figures and columns have underscores. */
const wordsOf = (name: string): string => name.replace(/_|(?=[A-Z])/g, ' ').toLowerCase()

function summarizeValue(value: unknown): string {
  if (value === null || value === undefined || value === false) return ''
  if (Array.isArray(value)) return value.map(summarizeValue).join(' ')
  if (typeof value === 'object') return summarizeValues(value as Record<string, unknown>)
  return String(value)
}
