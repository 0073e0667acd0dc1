/** Rows and recorded values as text. */
import { printableLine } from '../text/printable'

/** Returns names and values that are not empty, e.g. `file a.csv, skip faulty`. */
export function summarizeValues(values: Record<string, unknown>, nameOf = wordsOf): string {
  return Object.entries(values)
    .map(([name, value]) => [nameOf(name), summarizeValue(value)] as const)
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

/** Returns a line for each column, and for each item of a list of objects. */
export function formatRow(row: Record<string, unknown>): string[] {
  const width = Math.max(...Object.keys(row).map(name => name.length))
  return Object.entries(row).flatMap(([name, value]) => {
    const items = Array.isArray(value) && typeof value[0] === 'object' ? value : [value]
    return items.map((item, i) =>
      printableLine(`${(i === 0 ? name.replaceAll('_', ' ') : '').padEnd(width)}  ${formatCell(item, name)}`.trimEnd()),
    )
  })
}

function formatCell(value: unknown, name: string): string {
  if (value === null || (Array.isArray(value) && value.length === 0)) return '-'
  if (Array.isArray(value)) return value.join(', ')
  if (typeof value !== 'object') return String(value)
  // Systems have the names that files give them.
  return summarizeValues(value as Record<string, unknown>, name === 'external_ids' ? String : wordsOf)
}
