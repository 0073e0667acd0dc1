/** `partner-metrics list`: prints all rows of a kind, as a table that fits the terminal. */
import { Argument, type Command } from 'commander'
import { readKeys } from '../../db/api-keys/api-keys'
import { type ListedRow, readListing } from '../../db/operations/listings'
import type { Invocation } from '../invocation'
import { addChoices } from '../option-values'
import { drawList, LIST_COLUMNS, type ListKind } from './columns'
import { withOwner } from './owner'

export function register(program: Command, invocation: Invocation): void {
  program
    .command('list')
    .description('list what is stored')
    .addArgument(addChoices(new Argument('<kind>', 'what to list'), Object.keys(LIST_COLUMNS)))
    .action(async (kind: ListKind) => {
      const rows = await withOwner(invocation, ({ pool }) =>
        kind === 'keys' ? (readKeys(pool) as Promise<unknown[]> as Promise<ListedRow[]>) : readListing(pool, kind),
      )
      const nothing = kind === 'set-aside' ? 'nothing is set aside' : `there are no ${kind}`
      invocation.printResult({ rows }, width => (rows.length > 0 ? drawList(kind, rows, width) : nothing))
    })
}
