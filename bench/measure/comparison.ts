/** Compares the service with its peers: each route, at each number of connections, in alternating rounds. */
import type { BenchData } from '../data/fill'
import { type BenchRoute, routesOf } from '../data/routes'
import type { Load } from '../load/load'
import type { Options } from '../options'
import { type Database, select } from '../servers/bench-cluster'
import { residentMemory } from '../servers/processes'
import { startTarget, type Target, type TargetName, type TargetSettings } from '../servers/targets'
import { type CheckedRoutes, checkResponses } from './response-check'
import { measureRounds, type Rounds, type Timing } from './rounds'

export interface Comparison {
  routes: BenchRoute[]
  checked: CheckedRoutes
  /** By number of connections, then by route. */
  results: Map<number, Map<string, Rounds>>
  /** Resident memory of the service in megabytes, after its start and after all rounds. */
  memory: { started: number; loaded: number }
}

/** What every measurement needs. */
export interface Bench {
  load: Load
  /** Process id of the postmaster. */
  postgres: number
  /** The CPUs of the measured servers. */
  cpus: string | undefined
  log(line: string): void
}

type ComparisonOptions = Pick<
  Options,
  'only' | 'targets' | 'connections' | 'rounds' | 'seconds' | 'warmUp' | 'heavySeconds'
>

/** Seconds before each round but the first. */
const WARM_UP = 0.1

const HEAVY_CONNECTIONS = 4

/** The targets that are measured at further numbers of connections, too. */
const ALWAYS: readonly TargetName[] = ['service', 'floor', 'fastify']

export async function compare(
  database: Database,
  data: BenchData,
  options: ComparisonOptions,
  bench: Bench,
): Promise<Comparison> {
  const routes = routesOf(data).filter(({ name }) => name.includes(options.only))
  const settings = await targetSettings(database, bench)
  bench.log(`checking that ${options.targets.join(', ')} send the same responses`)
  const checked = await checkResponses(options.targets, routes, settings)
  const targets: Target[] = []
  try {
    for (const name of options.targets) targets.push(await startTarget(name, settings))
    const [service] = targets as [Target]
    const memory = { started: residentMemory(service.pid), loaded: 0 }
    for (const target of targets) await warmUp(target, routes, checked, options, bench)
    const results: Comparison['results'] = new Map()
    for (const [i, connections] of options.connections.entries()) {
      const measured = i === 0 ? targets : targets.filter(({ name }) => ALWAYS.includes(name))
      const byRoute = new Map<string, Rounds>()
      results.set(connections, byRoute)
      for (const route of routes) {
        // More connections would only make its requests wait for each other.
        if (route.heavy && i > 0) continue
        bench.log(`${connections} connections: ${route.name}`)
        const timing = timingOf(route, connections, i === 0, options)
        byRoute.set(route.name, await measureRounds(bench.load, measured, checked, route.name, timing, bench.postgres))
      }
    }
    memory.loaded = residentMemory(service.pid)
    return { routes, checked, results, memory }
  } finally {
    for (const target of targets) await target.stop()
  }
}

/** Sends requests of all routes, so that their code is compiled before the first round. */
async function warmUp(
  { name, port }: Target,
  routes: BenchRoute[],
  checked: CheckedRoutes,
  options: ComparisonOptions,
  { load, log }: Bench,
): Promise<void> {
  log(`warming up ${name}`)
  const byRoute = routes.map(route => (!route.heavy && checked.get(name)?.get(route.name)?.requests) || [])
  const [connections] = options.connections as [number]
  const job = { port, connections, seconds: options.warmUp.all, warmUp: 0, requests: interleave(byRoute) }
  await load.run(job, () => {})
}

function timingOf({ heavy }: BenchRoute, connections: number, first: boolean, options: ComparisonOptions): Timing {
  const timing = {
    connections,
    seconds: options.seconds,
    rounds: first ? options.rounds : 1,
    firstWarmUp: first ? options.warmUp.each : WARM_UP,
    warmUp: WARM_UP,
  }
  if (!heavy) return timing
  return { ...timing, connections: HEAVY_CONNECTIONS, seconds: Math.max(options.heavySeconds, 2 * options.seconds) }
}

/** The first item of each list, then the second of each, and so on. */
const interleave = (lists: string[][]): string[] =>
  Array.from({ length: Math.max(...lists.map(({ length }) => length)) }, (_, i) =>
    lists.flatMap(list => list[i] ?? []),
  ).flat()

export async function targetSettings(database: Database, { cpus }: Pick<Bench, 'cpus'>): Promise<TargetSettings> {
  const [{ secret }] = await select<{ secret: string }>(
    database.ownerUrl,
    `SELECT encode(cursor_secret, 'hex') AS secret FROM service`,
  )
  return { database, cursorSecret: secret, cpus, logRequests: true }
}
