/**
 * The form of a file of rejected rows: the columns of the original file, then the line and the reason. Its values are guarded
 * against spreadsheets. An import recognizes it by its last two columns, ignores them, and removes the guards.
 */

/**
 * Returns the names of the last two columns, which differ from those of all others.
 *
 * @param header of the original file
 * @param columns all columns of the kind
 */
export const rejectColumns = (header: readonly string[], columns: readonly string[]): string[] => {
  const names = new Set([...header.map(name => name.trim()), ...columns])
  return ['line', 'reason'].map(name => (names.has(name) ? `rejected_${name}` : name))
}

/** Returns the header of the original file, if this is the header of its rejected rows. */
export function originalHeader(header: readonly string[], columns: readonly string[]): readonly string[] | undefined {
  const original = header.slice(0, -2)
  const isRejects = rejectColumns(original, columns).every((name, i) => header[original.length + i]?.trim() === name)
  return isRejects && original.length > 0 ? original : undefined
}

/** Returns whether a row of a file without a header is a rejected row of one with this number of columns. */
export const isRejectedRow = (row: readonly string[], width: number): boolean =>
  row.length === width + 2 && /^\d+$/.test(row[width]!)
