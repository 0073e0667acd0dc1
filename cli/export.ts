/** `partner-metrics export all`: writes all data into a folder. */
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { exportAll } from '../db/backup/export-all'
import { ExportFolder } from '../db/backup/export-folder'
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
    .requiredOption('--output <folder>', 'an empty folder, or a new one; only its owner can read it', optionValue)
    .action(async ({ output }: ExportAllOptions) => {
      const progress = new Progress('exporting', new MessageLog(invocation.stderr), invocation.stderr)
      const onTotal = invocation.stderr.isTTY ? (lines: number) => progress.start(lines) : undefined
      const manifest = await withOwner(invocation, async ({ pool }) => {
        const folder = new ExportFolder(resolve(output))
        // A signal ends the process while the export is still running.
        process.once('exit', () => folder.discard())
        return exportAll(pool, folder, {
          version: packageVersion(),
          ...(onTotal && { onTotal, onLines: lines => progress.add(lines) }),
        })
      }).finally(() => progress.stop())
      invocation.printResult({ folder: resolve(output), ...manifest }, () => [
        ...manifest.files.map(({ name, rows }) => `${rows.toLocaleString('en').padStart(13)}  ${name}`),
        `exported into ${resolve(output)}, which contains the hashes of API keys: keep it confidential`,
      ])
    })
}
