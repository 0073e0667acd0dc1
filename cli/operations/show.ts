/** `partner-metrics show`: prints one row with all its details. */
import { Argument, type Command } from 'commander'
import { findKeyId, readKeyDetails } from '../../db/api-keys/api-keys'
import { type DetailedKind, readDetails } from '../../db/operations/listings'
import type { Invocation } from '../invocation'
import { detailLines } from '../keys/format-keys'
import { readKeyHash } from '../keys/read-key'
import { printableLine } from '../text/printable'
import { LIST_COLUMNS } from './columns'
import { withOwner } from './owner'
import { summarizeValues } from './summary'

export function register(program: Command, invocation: Invocation): void {
  program
    .command('show')
    .description('show one company, vendor, asset, sensor, key or import')
    .addArgument(
      new Argument('<kind>', 'what to show').choices(Object.keys(LIST_COLUMNS).filter(kind => kind !== 'notes')),
    )
    .argument('<id>', 'its id, name, legacy id or serial; of a key, - reads the key itself from standard input')
    .option('--json', 'print one JSON document')
    .action(async (kind: DetailedKind | 'keys', reference: string, { json = false }: { json?: boolean }) => {
      if (kind !== 'keys') {
        const row = await withOwner(invocation, ({ pool }) => readDetails(pool, kind, reference))
        return invocation.printResult(json, row, () => formatRow(row))
      }
      const hash = reference === '-' ? await readKeyHash(invocation) : undefined
      const key = await withOwner(invocation, async ({ pool }) =>
        readKeyDetails(pool, hash ? await findKeyId(pool, hash) : reference),
      )
      invocation.printResult(json, key, () => detailLines(key))
    })
}

/** Returns a line for each column, and for each item of a list of objects. */
function formatRow(row: Record<string, unknown>): string[] {
  const width = Math.max(...Object.keys(row).map(name => name.length))
  return Object.entries(row).flatMap(([name, value]) => {
    const items = Array.isArray(value) && typeof value[0] === 'object' ? value : [value]
    return items.map((item, i) =>
      printableLine(`${(i === 0 ? name.replaceAll('_', ' ') : '').padEnd(width)}  ${formatCell(item)}`.trimEnd()),
    )
  })
}

function formatCell(value: unknown): string {
  if (value === null || (Array.isArray(value) && value.length === 0)) return '-'
  if (Array.isArray(value)) return value.join(', ')
  return typeof value === 'object' ? summarizeValues(value as Record<string, unknown>) : String(value)
}
