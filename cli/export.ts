/** `partner-metrics export all`, which writes all data into a folder, and `import all`, which reads it. */
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { exportAll } from '../db/backup/export-all'
import { importAll } from '../db/backup/import-all'
import { type Manifest, readBackup } from '../db/backup/manifest'
import { withDatabase } from './database'
import { type Invocation, UsageError } from './invocation'
import { withOwner } from './operations/owner'
import { optionValue } from './option-values'
import { packageVersion } from './package-directory'
import { readSettings } from './settings'
import { shutdownSignal, unlessShutdown } from './shutdown'

export function register(program: Command, invocation: Invocation): void {
  program
    .command('export')
    .description('write data to files')
    .command('all')
    .description('write all data into a folder that `import all` reads, as a backup or to move to another version')
    .requiredOption('--output <folder>', 'a new folder, or an empty one; only its owner can read it', optionValue)
    .action(async ({ output }: { output: string }) => {
      const manifest = await withOwner(invocation, ({ pool }) => exportAll(pool, resolve(output), packageVersion()))
      invocation.printResult({ folder: resolve(output), ...manifest }, () => [
        ...tableLines(manifest),
        `exported into ${resolve(output)}, which contains the hashes of API keys: keep it confidential`,
      ])
    })
}

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
      const manifest = await unlessShutdown(() => readBackup(resolve(folder)))
      const load = (ownerUrl: string) =>
        importAll(ownerUrl, resolve(folder), manifest, { signal: shutdownSignal, onWait: invocation.printMessage })
      await withDatabase(invocation, readSettings(invocation.env), async () => {}, { prepare: true, load })
      invocation.printResult({ folder: resolve(folder), ...manifest }, () => [
        ...tableLines(manifest),
        'imported; `partner-metrics verify` compares all totals with the counts',
      ])
    })
}

const tableLines = ({ tables }: Manifest): string[] =>
  tables.map(({ name, rows }) => `${rows.toLocaleString('en').padStart(13)}  ${name}`)
