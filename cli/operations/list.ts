/** `partner-metrics list`: prints all rows of a kind, as a table that fits the terminal. */
import { Argument, type Command } from 'commander'
import { readKeys } from '../../db/api-keys/api-keys'
import { type ListedRow, readListing } from '../../db/operations/listings'
import type { Pool } from '../../db/postgres/pool'
import type { Invocation } from '../invocation'
import { drawTable } from '../text/fitted-table'
import { arrangeTable, LIST_COLUMNS, type ListKind } from './columns'
import { withOwner } from './owner'

export function register(program: Command, invocation: Invocation): void {
  program
    .command('list')
    .description('list what is stored')
    .addArgument(new Argument('<kind>', 'what to list').choices(Object.keys(LIST_COLUMNS)))
    .option('--json', 'print one JSON document, with all columns')
    .action((kind: ListKind, { json }: { json?: boolean }) =>
      withOwner(invocation, async ({ pool }) => {
        const rows = kind === 'keys' ? readKeyRows(pool) : readListing(pool, kind)
        await (json ? printJson(invocation, rows) : printTable(invocation, kind, rows))
      }),
    )
}

async function* readKeyRows(pool: Pool): AsyncGenerator<ListedRow[]> {
  yield (await readKeys(pool)) as unknown as ListedRow[]
}

async function printJson(invocation: Invocation, batches: AsyncIterable<ListedRow[]>): Promise<void> {
  let separator = '{"rows":['
  for await (const rows of batches) {
    for (const row of rows) {
      await invocation.printText(`${separator}${JSON.stringify(row)}`)
      separator = ','
    }
  }
  await invocation.printText(separator === ',' ? ']}\n' : '{"rows":[]}\n')
}

/** Reads all rows first: a later one may have the widest text. */
async function printTable(invocation: Invocation, kind: ListKind, batches: AsyncIterable<ListedRow[]>): Promise<void> {
  const rows: ListedRow[] = []
  for await (const batch of batches) rows.push(...batch)
  if (rows.length === 0)
    return invocation.printText(kind === 'set-aside' ? 'nothing is set aside\n' : `there are no ${kind}\n`)
  for (const part of drawTable(...arrangeTable(kind, rows, invocation.stdout.columns)))
    await invocation.printText(`${part}\n`)
}
