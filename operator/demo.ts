/** `partner-metrics demo`: a synthetic data set to look at, with one key of each kind. */
import type { Command } from 'commander'
import type { Pool } from 'pg'
import { withPool } from '../db/pools'
import { type Database, withDatabase } from './database'
import { refreshDemoHealth } from './demo/health'
import { awaitsDemo, type LoadedDemo, loadDemo } from './demo/load'
import { tellDemo, tellExample } from './demo/telling'
import { say, tell } from './output'
import { readSettings, type Settings } from './settings'

export function registerDemo(program: Command): void {
  program
    .command('demo')
    .description('load synthetic data up to yesterday and issue one key of each kind; again: no change of data')
    .option('--json', 'print one JSON document')
    .action(async ({ json = false }: { json?: boolean }) => {
      const settings = readSettings(process.env)
      const { host, port, environment } = settings
      const demo = await withDatabase(settings, database =>
        withOwner(settings, database, pool => loadDemo(pool, environment)),
      )
      const base = `http://${host.includes(':') ? `[${host}]` : host}:${port || 'PORT'}`
      tell(json, demo, [...tellDemo(demo), ...tellExample(demo, base)])
    })
}

/**
 * Does at a start of the service what the demo needs: loads it into an embedded database that is empty, in dev only, and
 * gives its sensors fresh checks wherever it is loaded.
 *
 * @returns the demo where this start loaded it; its keys are printed by then
 */
export async function prepareDemo(settings: Settings, database: Database): Promise<LoadedDemo | undefined> {
  return withOwner(settings, database, async pool => {
    if (!database.embedded || settings.environment !== 'dev' || !(await awaitsDemo(pool))) {
      await refreshDemoHealth(pool)
      return undefined
    }
    say('the database is empty: loading the demo, which takes some seconds')
    const demo = await loadDemo(pool, settings.environment)
    tell(false, demo, tellDemo(demo))
    return demo
  })
}

function withOwner<Result>(
  { connectTimeoutMs }: Settings,
  { ownerUrl }: Database,
  work: (pool: Pool) => Promise<Result>,
): Promise<Result> {
  // One connection holds the place of whoever loads the demo, another one imports.
  return withPool(ownerUrl, { max: 2, connectionTimeoutMillis: connectTimeoutMs }, work)
}
