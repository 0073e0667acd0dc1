/** `partner-metrics migrate`: creates or upgrades the database. */
import type { Command } from 'commander'
import { withDatabase } from './database'
import { printResult } from './output'
import { readSettings } from './settings'

export function register(program: Command): void {
  program
    .command('migrate')
    .description('create or upgrade the database')
    .option('--json', 'print one JSON document')
    .action(async ({ json = false }: { json?: boolean }) => {
      const { migrated } = await withDatabase(readSettings(process.env), async database => database, {
        prepare: true,
      })
      const lines = () => (migrated.length > 0 ? migrated.map(name => `ran ${name}`) : 'the database is up to date')
      printResult(json, { migrations: migrated }, lines)
    })
}
