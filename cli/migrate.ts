/** `partner-metrics migrate`: creates or upgrades the database. */
import type { Command } from 'commander'
import { withPool } from '../db/postgres/pool'
import { readOutdatedZones, updateDue } from '../db/zones/compare-rules'
import { withDatabase } from './database'
import type { Invocation } from './invocation'
import { readSettings } from './settings'

export function register(program: Command, invocation: Invocation): void {
  program
    .command('migrate')
    .description('create or upgrade the database')
    .action(async () => {
      const settings = readSettings(invocation.env)
      const { migrated, outdated } = await withDatabase(
        invocation,
        settings,
        async ({ migrated, ownerUrl }) => ({
          migrated,
          outdated: await withPool(ownerUrl, { max: 1 }, readOutdatedZones),
        }),
        { prepare: true },
      )
      const lines = () => (migrated.length > 0 ? migrated.map(name => `ran ${name}`) : 'the database is up to date')
      invocation.printResult({ migrations: migrated, outdated_zones: outdated }, lines)
      if (outdated.length > 0) invocation.printMessage(updateDue(outdated))
    })
}
