/** Compares the service with its peers: each route, in alternating rounds. */
import type { BenchData } from '../data/fill'
import { type BenchRoute, listRoutes } from '../data/routes'
import type { Database } from '../servers/bench-cluster'
import { startTarget, type Target, type TargetName } from '../servers/targets'
import { checkResponses } from './response-check'
import { type Bench, type ComparisonOptions, measureRounds, type Rounds } from './rounds'

export interface Comparison {
  targets: readonly TargetName[]
  /** The mean size of a body, by route. */
  sizes: Map<string, number>
  /** By route. */
  results: Map<string, Rounds>
}

export async function compare(
  database: Database,
  data: BenchData,
  { only, targets: names, timing }: ComparisonOptions,
  bench: Bench,
): Promise<Comparison> {
  const routes = listRoutes(data).filter(({ name }) => name.includes(only))
  const targets: Target[] = []
  try {
    for (const name of names) targets.push(await startTarget(name, database, data, bench.cpus))
    bench.log(`checking that ${names.join(', ')} send the same responses`)
    const sizes = await checkResponses(targets, routes)
    const { connections, warmUp } = timing
    for (const { name, port } of targets) {
      bench.log(`warming up ${name}`)
      const job = { port, connections, warmUp: warmUp.all, seconds: 0, requests: interleave(routes) }
      await bench.load.run(job, () => {})
    }
    const results: Comparison['results'] = new Map()
    for (const route of routes) {
      bench.log(route.name)
      results.set(route.name, await measureRounds(bench, targets, route, timing))
    }
    return { targets: names, sizes, results }
  } finally {
    for (const target of targets) await target.stop()
  }
}

/** Returns the first request of each route, then the second of each, and so on: code that is not compiled yet takes several times as long. */
const interleave = (routes: readonly BenchRoute[]): string[] =>
  routes[0] ? routes[0].requests.flatMap((_, i) => routes.map(({ requests }) => requests[i]!)) : []
