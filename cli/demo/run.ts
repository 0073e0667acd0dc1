/** Loads the demo, for the command and for the start of the service, and prints its keys and an example request. */
import { type Pool, withPool } from '../../db/postgres/pool'
import { canLoadDemo, type LoadedDemo, loadDemo, refreshDemoHealth } from '../../imports/demo/load'
import { ASSETS, dateBefore } from '../../imports/demo/network'
import { type Database, withDatabase } from '../database'
import type { Invocation } from '../invocation'
import { reachableUrl } from '../serve/addresses'
import { readSettings, type Settings } from '../settings'

/** Runs the command. @param days the number of days up to yesterday; by default, as at the start of the service */
export async function runDemo(invocation: Invocation, days?: number): Promise<void> {
  const settings = readSettings(invocation.env)
  const { host, port, environment } = settings
  const load = (database: Database) =>
    withOwner(invocation, settings, database, pool =>
      loadDemo(pool, environment, undefined, days, invocation.printMessage),
    )
  const demo = await withDatabase(invocation, settings, load, { prepare: true })
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${port || 4000}`
  invocation.printResult(demo, () => [...formatSummary(demo), ...formatExample(demo, url)])
}

/**
 * Loads the demo into an empty database; adds health checks to a loaded demo.
 *
 * @returns a function that prints an example request, given the URL of the service; undefined if nothing was loaded
 */
export async function prepareDemo(invocation: Invocation, settings: Settings, database: Database) {
  return withOwner(invocation, settings, database, async pool => {
    if (!(await canLoadDemo(pool))) {
      await refreshDemoHealth(pool)
      return undefined
    }
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
  // One connection holds the lock of the demo, the other one imports.
  const config = { max: 3, connectionTimeoutMillis: connectTimeoutMs, application_name: applicationName }
  return withPool(ownerUrl, config, work)
}

function formatSummary({ loaded, companies, assets, sensors, days, keys }: LoadedDemo): string[] {
  const figures = `${companies} companies, ${assets} assets, ${sensors} sensors, ${days} days`
  if (!loaded) return [`the demo was loaded before (${figures}): nothing changed; its keys cannot be shown again`]
  const width = Math.max(...keys.map(({ label }) => label.length))
  const lines = keys.map(({ label, key }) => `  ${label.padEnd(width)}  ${key}`)
  return [`the demo is loaded: ${figures}`, 'its keys, which are not shown again:', ...lines]
}

/** Returns a curl command that reads the last seven days of an asset. */
function formatExample({ keys: [first] }: LoadedDemo, url: string): string[] {
  const [asset] = ASSETS
  if (!asset || !first) return []
  const [from, to] = [7, 1].map(days => dateBefore(Date.now() / 1000, asset, days))
  const path = `/v1/partner/assets/${asset.id}/impressions/daily?from_date=${from}&to_date=${to}`
  return ['try it:', `  curl -H 'X-API-Key: ${first.key}' '${reachableUrl(url)}${path}'`]
}
