/** How rows are read: one function a shape of rows, compiled when the shape is first met. */
import { parserOf } from './pools'

/** A column as PostgreSQL describes it. */
export interface Field {
  name: string
  dataTypeID: number
}

/** A row of its cells' texts. */
export type ReadRow = (cells: (string | null)[]) => unknown

/** Reads rows of these columns. */
export function rowReader(fields: readonly Field[]): ReadRow {
  const key = fields.map(({ name, dataTypeID }) => `${name} ${dataTypeID}`).join()
  const known = readers.get(key)
  if (known) return known
  const parsers = fields.map(({ dataTypeID }) => parserOf(dataTypeID))
  const cells = fields.map(({ name }, i) => {
    const cell = parsers[i] ? `cells[${i}] === null ? null : parsers[${i}](cells[${i}])` : `cells[${i}]`
    return `${JSON.stringify(name)}: ${cell}`
  })
  // The names are those of our own statements, and as literals they can be nothing else than names.
  const reader = new Function('parsers', `return cells => ({ ${cells.join(', ')} })`)(parsers) as ReadRow
  readers.set(key, reader)
  return reader
}

/** As many as the service has shapes. */
const readers = new Map<string, ReadRow>()
