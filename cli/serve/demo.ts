/** `partner-metrics demo`: loads synthetic data, also for the start of the service, and prints its keys and an example request. */
import type { Command } from 'commander'
import type { Pool } from '../../db/postgres/pool'
import { examplePath, type LoadedDemo, loadDemo, refreshDemoHealth } from '../../imports/demo/load'
import type { Invocation } from '../invocation'
import { withOwner } from '../operations/owner'
import { reachableUrl } from '../operations/status'
import type { Settings } from '../settings'

export function register(program: Command, invocation: Invocation): void {
  program
    .command('demo')
    .description('load synthetic data up to yesterday, and issue keys that read it; run again, it changes nothing')
    .action(() => runDemo(invocation))
}

/** Runs the command. @param days the number of days up to yesterday; by default, as at the start of the service */
export const runDemo = (invocation: Invocation, days?: number): Promise<void> =>
  withOwner(
    invocation,
    async ({ pool, settings: { environment, host, port } }) => {
      const demo = await loadDemo(pool, environment, undefined, days, invocation.printMessage)
      const url = `http://${host.includes(':') ? `[${host}]` : host}:${port || 4000}`
      invocation.printResult(demo, () => [...formatSummary(demo), ...formatExample(demo, url)])
    },
    { prepare: true },
  )

/**
 * Adds health checks to a loaded demo; loads it into an empty database.
 *
 * @param pool two connections of the owner
 * @returns a function that prints an example request, given the URL of the service; undefined if nothing was loaded
 */
export async function prepareDemo(invocation: Invocation, { environment }: Settings, pool: Pool, isLoaded: boolean) {
  if (isLoaded) {
    await refreshDemoHealth(pool)
    return undefined
  }
  invocation.printMessage('the database is empty: loading demo data, which takes some seconds')
  const demo = await loadDemo(pool, environment, undefined, undefined, invocation.printMessage)
  invocation.printResult(demo, () => formatSummary(demo))
  return (url: string) => invocation.printResult(demo, () => formatExample(demo, url))
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
