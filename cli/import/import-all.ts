/** `partner-metrics import all`: reads what `export all` has written into a new database. */
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { importAll } from '../../db/backup/import-all'
import { readBackup } from '../../db/backup/manifest'
import { withDatabase } from '../database'
import type { Invocation } from '../invocation'
import { readSettings } from '../settings'
import { shutdownSignal, unlessShutdown } from '../shutdown'
import { MessageLog } from '../text/message-log'
import { UsageError } from '../usage-error'
import { Progress } from './progress'

export function registerImportAll(command: Command, invocation: Invocation): void {
  command
    .command('all')
    .description('read the folder of `export all` into a new database, as a whole or not at all')
    .argument('<folder>', 'what `export all` has written')
    .action(async (folder: string) => {
      // Commander gives options that both commands have to the outer one.
      const isGiven = (name: string) => name !== 'json' && command.getOptionValueSource(name) === 'cli'
      const other = command.options.find(option => isGiven(option.attributeName()))
      if (other) throw new UsageError('USAGE', `${other.long} is no option of \`import all\``)
      const progress = new Progress('importing', new MessageLog(invocation.stderr), invocation.stderr)
      const manifest = await unlessShutdown(() => readBackup(resolve(folder)))
      const load = (ownerUrl: string) =>
        importAll(ownerUrl, resolve(folder), manifest, {
          signal: shutdownSignal,
          onWait: line => progress.log(line),
          onTotal: bytes => progress.start(bytes),
          onBytes: bytes => progress.add(bytes),
        })
      await withDatabase(invocation, readSettings(invocation.env), async () => {}, { prepare: true, load }).finally(
        () => progress.stop(),
      )
      invocation.printResult({ folder: resolve(folder), ...manifest }, () => [
        ...manifest.tables.map(({ name, rows }) => `${rows.toLocaleString('en').padStart(13)}  ${name}`),
        'imported; `partner-metrics verify` compares all totals with the counts',
      ])
    })
}
