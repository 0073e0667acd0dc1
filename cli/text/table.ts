/** Tables of commands. */
import Table, { type TableConstructorOptions } from 'cli-table3'

/** Returns an empty table. */
export function createTable(
  head: string[],
  { colAligns = [], colWidths = [] }: Pick<TableConstructorOptions, 'colAligns' | 'colWidths'> = {},
) {
  return new Table({ head, colAligns, colWidths, style: { head: [], border: [], compact: true } })
}
