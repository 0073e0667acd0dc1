/** `partner-metrics list`: prints all rows of a kind, as a table that fits the terminal. */
import { Argument, type Command } from 'commander'
import { readKeys } from '../../db/api-keys/api-keys'
import { type ListedRow, readListing } from '../../db/operations/listings'
import type { Pool } from '../../db/postgres/pool'
import { FittedTable } from '../fitted-table'
import { printText } from '../output'
import { LIST_COLUMNS, type ListColumn, type ListKind } from './columns'
import { withOwner } from './owner'

export function register(program: Command): void {
  program
    .command('list')
    .description('list what is stored')
    .addArgument(new Argument('<kind>', 'what to list').choices(Object.keys(LIST_COLUMNS)))
    .option('--json', 'print one JSON document, with all columns')
    .action((kind: ListKind, { json }: { json?: boolean }) =>
      withOwner(async ({ pool }) => {
        const rows = kind === 'keys' ? keysOf(pool) : readListing(pool, kind)
        await (json ? printJson(rows) : printTable(kind, rows))
      }),
    )
}

async function* keysOf(pool: Pool): AsyncGenerator<ListedRow[]> {
  yield (await readKeys(pool)) as unknown as ListedRow[]
}

async function printJson(batches: AsyncIterable<ListedRow[]>): Promise<void> {
  let separator = '{"rows":['
  for await (const rows of batches) {
    for (const row of rows) {
      await printText(`${separator}${JSON.stringify(row)}`)
      separator = ','
    }
  }
  await printText(separator === ',' ? ']}\n' : '{"rows":[]}\n')
}

async function printTable(kind: ListKind, batches: AsyncIterable<ListedRow[]>): Promise<void> {
  const columns: readonly ListColumn[] = LIST_COLUMNS[kind]
  const headings = (chosen: readonly ListColumn[]) => chosen.map(({ heading }) => heading)
  const table = new FittedTable(headings(columns), headings(columns.filter(({ truncatable }) => truncatable)), {
    aligns: columns.map(({ align = 'left' }) => align),
  })
  let isEmpty = true
  for await (const rows of batches) {
    if (rows.length === 0) continue
    isEmpty = false
    const cells = rows.map(row => columns.map(({ value }) => String(value(row) ?? '')))
    await printText(`${table.draw(cells).join('\n')}\n`)
  }
  await printText(isEmpty ? `there are no ${kind}\n` : `${table.end().join('\n')}\n`)
}
