/** `partner-metrics demo`: loads synthetic data, also for the start of the service, and prints its keys and an example request. */
import type { Command } from 'commander'
import { type Pool, withPool } from '../../db/postgres/pool'
import { examplePath, type LoadedDemo, loadDemo, readDemoState, refreshDemoHealth } from '../../imports/demo/load'
import { type Database, withDatabase } from '../database'
import type { Invocation } from '../invocation'
import { readSettings, type Settings } from '../settings'
import { reachableUrl } from './addresses'

export function register(program: Command, invocation: Invocation): void {
  program
    .command('demo')
    .description('load synthetic data up to yesterday, and issue keys that read it; run again, it changes nothing')
    .action(() => runDemo(invocation))
}

/** Runs the command. @param days the number of days up to yesterday; by default, as at the start of the service */
export async function runDemo(invocation: Invocation, days?: number): Promise<void> {
  const settings = readSettings(invocation.env)
  const load = (database: Database) =>
    withOwner(invocation, settings, database, pool =>
      loadDemo(pool, settings.environment, undefined, days, invocation.printMessage),
    )
  const demo = await withDatabase(invocation, settings, load, { prepare: true })
  const host = settings.host.includes(':') ? `[${settings.host}]` : settings.host
  const url = `http://${host}:${settings.port || 4000}`
  invocation.printResult(demo, () => [...formatSummary(demo), ...formatExample(demo, url)])
}

/**
 * Loads the demo into an empty database; adds health checks to a loaded demo.
 *
 * @returns a function that prints an example request, given the URL of the service; undefined if nothing was loaded
 */
export async function prepareDemo(invocation: Invocation, settings: Settings, database: Database) {
  return withOwner(invocation, settings, database, async pool => {
    const { loaded, used } = await readDemoState(pool)
    if (loaded) await refreshDemoHealth(pool)
    if (loaded || used) return undefined
    invocation.printMessage('the database is empty: loading demo data, which takes some seconds')
    const demo = await loadDemo(pool, settings.environment, undefined, undefined, invocation.printMessage)
    invocation.printResult(demo, () => formatSummary(demo))
    return (url: string) => invocation.printResult(demo, () => formatExample(demo, url))
  })
}

function withOwner<Result>(
  { applicationName }: Invocation,
  { connectTimeoutMs }: Settings,
  { ownerUrl }: Database,
  work: (pool: Pool) => Promise<Result>,
) {
  // One connection imports, and the other one finds out for whom it waits.
  const config = { max: 2, connectionTimeoutMillis: connectTimeoutMs, application_name: applicationName }
  return withPool(ownerUrl, config, work)
}

function formatSummary({ loaded, companies, assets, sensors, days, keys }: LoadedDemo): string[] {
  const figures = `${companies} companies, ${assets} assets, ${sensors} sensors, ${days} days`
  if (!loaded) return [`the demo was loaded before (${figures}): nothing changed; its keys cannot be shown again`]
  const lines = keys.map(({ label, key }) => `  ${label.padEnd(32)}  ${key}`)
  return [`the demo is loaded: ${figures}`, 'its keys, which are not shown again:', ...lines]
}

/** Returns a curl command that reads the last seven days of an asset. */
const formatExample = ({ keys: [first] }: LoadedDemo, url: string): string[] =>
  first ? ['try it:', `  curl -H 'X-API-Key: ${first.key}' '${reachableUrl(url)}${examplePath()}'`] : []
