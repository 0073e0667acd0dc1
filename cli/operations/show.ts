/** `partner-metrics show`: prints one row with all its details. */
import { Argument, type Command } from 'commander'
import { readKeyDetails } from '../../db/api-keys/api-keys'
import { type DetailedKind, readDetails } from '../../db/operations/listings'
import type { Invocation } from '../invocation'
import { withKey } from '../keys'
import { addChoices } from '../option-values'
import { LIST_COLUMNS, readableKey } from './columns'
import { withOwner } from './owner'
import { formatRow } from './summary'

const KINDS = Object.keys(LIST_COLUMNS).filter(kind => kind !== 'notes')

export function register(program: Command, invocation: Invocation): void {
  program
    .command('show')
    .description('show one company, vendor, asset, sensor, key, import or period set aside')
    .addArgument(addChoices(new Argument('<kind>', 'what to show'), KINDS))
    .argument('<id>', 'its id, name, legacy id or serial; of a key, - reads the key itself from standard input')
    .action(async (kind: DetailedKind | 'keys', reference: string) => {
      if (kind !== 'keys') {
        const row = await withOwner(invocation, ({ pool }) => readDetails(pool, kind, reference))
        return invocation.printResult(row, () => formatRow(row))
      }
      const key = await withKey(invocation, reference, ({ pool }, id) => readKeyDetails(pool, id))
      invocation.printResult(key, () => formatRow(readableKey(key)))
    })
}
