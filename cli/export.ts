/** `partner-metrics export all`: writes all data into a folder. */
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { exportAll } from '../db/backup/export-all'
import { tableLines } from './import/import-all'
import type { Invocation } from './invocation'
import { withOwner } from './operations/owner'
import { optionValue } from './option-values'
import { packageVersion } from './package-directory'

interface ExportAllOptions {
  output: string
}

export function register(program: Command, invocation: Invocation): void {
  program
    .command('export')
    .description('write data to files')
    .command('all')
    .description('write all data into a folder that `import all` reads, as a backup or to move to another version')
    .requiredOption('--output <folder>', 'a new folder, or an empty one; only its owner can read it', optionValue)
    .action(async ({ output }: ExportAllOptions) => {
      const manifest = await withOwner(invocation, ({ pool }) => exportAll(pool, resolve(output), packageVersion()))
      invocation.printResult({ folder: resolve(output), ...manifest }, () => [
        ...tableLines(manifest),
        `exported into ${resolve(output)}, which contains the hashes of API keys: keep it confidential`,
      ])
    })
}
