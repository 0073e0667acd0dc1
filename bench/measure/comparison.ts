/** Compares the service with its peers: each route, in alternating rounds. */
import type { BenchData } from '../data/fill'
import { type BenchRoute, listRoutes } from '../data/routes'
import type { Load } from '../load/load'
import type { Database } from '../servers/bench-cluster'
import { startTarget, type Target, type TargetName } from '../servers/targets'
import { checkResponses } from './response-check'
import { measureRounds, type Rounds } from './rounds'

export interface Comparison {
  targets: readonly TargetName[]
  /** The mean size of a body, by route. */
  sizes: Map<string, number>
  /** By route. */
  results: Map<string, Rounds>
}

/** The options that every measurement needs. */
export interface Bench {
  load: Load
  /** Process id of the postmaster. */
  postgres: number
  /** The CPUs of the measured servers. */
  cpus: string | undefined
  log(line: string): void
}

export interface ComparisonOptions {
  /** Only routes whose name contains this text. */
  only: string
  targets: readonly TargetName[]
  timing: {
    connections: number
    rounds: number
    /** The length of a round. */
    seconds: number
    /** The numbers of requests before the measurements: of all routes together, of each route, and before each further round. */
    warmUp: { all: number; each: number; round: number }
  }
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
