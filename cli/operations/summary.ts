/** Recorded values in one line. */

/** Names and values that are not empty, e.g. `file a.csv, skip faulty`. */
export function summaryOf(values: Record<string, unknown>): string {
  return Object.entries(values)
    .map(([name, value]) => [name.replaceAll('_', ' '), textOf(value)] as const)
    .filter(([, text]) => text !== '' && text !== '0')
    .map(([name, text]) => (text === 'true' ? name : `${name} ${text}`))
    .join(', ')
}

function textOf(value: unknown): string {
  if (value === null || value === undefined || value === false) return ''
  if (Array.isArray(value)) return value.map(textOf).join(' ')
  if (typeof value === 'object') return summaryOf(value as Record<string, unknown>)
  return String(value)
}
