/** `partner-metrics export all`: writes all data into a folder. */
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { exportAll } from '../db/backup/export-all'
import { Progress } from './import/progress'
import type { Invocation } from './invocation'
import { withOwner } from './operations/owner'
import { optionValue } from './option-values'
import { packageVersion } from './package-directory'
import { MessageLog } from './text/message-log'

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
      const progress = new Progress('exporting', new MessageLog(invocation.stderr), invocation.stderr)
      const manifest = await withOwner(invocation, ({ pool }) =>
        exportAll(pool, resolve(output), {
          version: packageVersion(),
          onTotal: rows => progress.start(rows),
          onRows: rows => progress.add(rows),
        }),
      ).finally(() => progress.stop())
      invocation.printResult({ folder: resolve(output), ...manifest }, () => [
        ...manifest.tables.map(({ name, rows }) => `${rows.toLocaleString('en').padStart(13)}  ${name}`),
        `exported into ${resolve(output)}, which contains the hashes of API keys: keep it confidential`,
      ])
    })
}
