/** Tables of commands. */
import type { TableConstructorOptions } from 'cli-table3'

/** Returns an empty table. The library is loaded here because it takes long to load, and few commands print a table. */
export function createTable(
  head: string[],
  { colAligns = [], colWidths = [] }: Pick<TableConstructorOptions, 'colAligns' | 'colWidths'> = {},
) {
  const Table = require('cli-table3') as typeof import('cli-table3')
  return new Table({ head, colAligns, colWidths, style: { head: [], border: [], compact: true } })
}
