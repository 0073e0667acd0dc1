/** Measures whether response times depend on the size of the database: the service on databases of several sizes, in alternating rounds. */
import { type BenchData, fill } from '../data/fill'
import type { Size } from '../data/population'
import { GROUP_SIZE, listRoutes } from '../data/routes'
import type { BenchCluster, Database } from '../servers/bench-cluster'
import { startTarget, type Target } from '../servers/targets'
import { type Bench, targetSettings } from './comparison'
import { median } from './rounds'
import { sendRequest } from './send-request'

export interface GrowthSize {
  /** Measured in addition to the database of the comparison. */
  sizes: Record<string, Size>
  rounds: number
  /** The length of a round. */
  seconds: number
  /** Seconds before the first round, so that code is compiled and row caches are filled on all databases. */
  warmUp: number
}

export interface Growth {
  sizes: string[]
  /** By route, in the order of the sizes. `p50` is in milliseconds, `bytes` the mean size of a body. */
  routes: Map<string, { p50: number; bytes: number }[]>
}

interface FilledDatabase {
  database: Database
  data: BenchData
}

const CONNECTIONS = 1

/** Seconds before each round but the first. */
const WARM_UP_SECONDS = 0.1

/** The number of requests whose bodies are measured. */
const SAMPLE = 10

/** @param large the database of the comparison, with its name in the report */
export async function measureGrowth(
  cluster: BenchCluster,
  large: [name: string, FilledDatabase],
  size: GrowthSize,
  bench: Bench,
): Promise<Growth> {
  const databases = new Map<string, FilledDatabase>()
  for (const [i, [name, population]] of Object.entries(size.sizes).entries()) {
    if (name === large[0]) continue
    bench.log(`filling ${name}`)
    const database = await cluster.create(`growth_${i}`)
    databases.set(name, { database, data: await fill(database.ownerUrl, population) })
  }
  databases.set(...large)
  const targets = new Map<string, Target>()
  try {
    for (const [name, { database }] of databases)
      targets.set(name, await startTarget('service', await targetSettings(database, bench)))
    return { sizes: [...databases.keys()], routes: await measureRoutes(databases, targets, size, bench) }
  } finally {
    for (const target of targets.values()) await target.stop()
    for (const i of Object.keys(size.sizes).keys()) await cluster.drop(`growth_${i}`)
  }
}

async function measureRoutes(
  databases: Map<string, FilledDatabase>,
  targets: Map<string, Target>,
  { rounds, seconds, warmUp: firstWarmUp }: GrowthSize,
  { load, log }: Bench,
): Promise<Growth['routes']> {
  const requests = requestsByRoute(databases)
  const routes: Growth['routes'] = new Map()
  for (const [route, bySize] of requests) {
    log(`growth: ${route}`)
    const p50s = new Map<string, number[]>([...databases.keys()].map(name => [name, []]))
    for (let round = 0; round < rounds; round++) {
      const warmUp = round === 0 ? firstWarmUp : WARM_UP_SECONDS
      for (const [name, { port }] of targets) {
        const job = { connections: CONNECTIONS, seconds, warmUp, port, requests: bySize.get(name) ?? [] }
        const { p50 } = await load.run(job, () => {})
        p50s.get(name)?.push(p50)
      }
    }
    const row: { p50: number; bytes: number }[] = []
    for (const [name, { port }] of targets) {
      const sample = bySize.get(name)?.slice(0, SAMPLE) ?? []
      let bytes = 0
      for (const request of sample) bytes += (await sendRequest(port, request)).body.length / sample.length
      row.push({ p50: median(p50s.get(name) ?? []), bytes })
    }
    routes.set(route, row)
  }
  return routes
}

/** The requests by route and database, of the routes that all databases have. */
function requestsByRoute(databases: Map<string, FilledDatabase>): Map<string, Map<string, string[]>> {
  // The smallest database limits the size of an aggregate.
  const group = Math.min(GROUP_SIZE, ...[...databases.values()].map(({ data }) => data.assets.length))
  const byRoute = new Map<string, Map<string, string[]>>()
  for (const [database, { data }] of databases) {
    for (const { name, requests, conditional } of listRoutes(data, group)) {
      if (conditional) continue
      const bySize = byRoute.get(name) ?? new Map<string, string[]>()
      byRoute.set(name, bySize.set(database, requests))
    }
  }
  return new Map([...byRoute].filter(([, bySize]) => bySize.size === databases.size))
}
