/** What the command `demo` and a start of the service do with the demo. */
import { type Pool, withPool } from '../../db/postgres/pool'
import { refreshDemoHealth } from '../../db/seeds/demo/health'
import { awaitsDemo, loadDemo } from '../../db/seeds/demo/load'
import { type Database, withDatabase } from '../database'
import { printMessage, printResult } from '../output'
import { readSettings, type Settings } from '../settings'
import { tellDemo, tellExample } from './messages'

/** Loads the demo into the database of the settings, and tells what came of it. */
export async function runDemo(json: boolean): Promise<void> {
  const settings = readSettings(process.env)
  const { host, port, environment } = settings
  const demo = await withDatabase(settings, database =>
    withOwner(settings, database, pool => loadDemo(pool, environment)),
  )
  const base = `http://${host.includes(':') ? `[${host}]` : host}:${port || 'PORT'}`
  printResult(json, demo, () => [...tellDemo(demo), ...tellExample(demo, base)])
}

/**
 * Does at a start of the service what the demo needs, where it is loaded or may be: loads it if the database is empty, and
 * gives its sensors fresh checks.
 *
 * @returns what tells a request to try, where this start loaded the demo; its keys are printed by then
 */
export async function prepareDemo(
  settings: Settings,
  database: Database,
): Promise<((base: string) => void) | undefined> {
  return withOwner(settings, database, async pool => {
    if (!(await awaitsDemo(pool))) {
      await refreshDemoHealth(pool)
      return undefined
    }
    printMessage('the database is empty: loading the demo, which takes some seconds')
    const demo = await loadDemo(pool, settings.environment)
    printResult(false, demo, () => tellDemo(demo))
    return base => printResult(false, demo, () => tellExample(demo, base))
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
