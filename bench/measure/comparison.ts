/** Compares the service with its peers: each route, at each number of connections, in alternating rounds. */
import type { BenchData } from '../data/fill'
import { type BenchRoute, listRoutes } from '../data/routes'
import type { Load } from '../load/load'
import { type Database, select } from '../servers/bench-cluster'
import { startTarget, type Target, type TargetName, type TargetSettings } from '../servers/targets'
import { type CheckedRoutes, checkResponses } from './response-check'
import { measureRounds, type Rounds, type Timing } from './rounds'

export interface Comparison {
  routes: BenchRoute[]
  checked: CheckedRoutes
  /** By number of connections, then by route. */
  results: Map<number, Map<string, Rounds>>
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

export interface ComparisonTiming {
  connections: readonly number[]
  rounds: number
  /** The length of a round. */
  seconds: number
  /** Seconds of load before the measurements: for all routes together, for each route, and before each further round. */
  warmUp: { all: number; each: number; round: number }
}

export interface ComparisonOptions {
  /** Only routes whose name contains this text. */
  only: string
  targets: readonly TargetName[]
  comparison: ComparisonTiming
}

/** The targets that are measured at further numbers of connections, too. */
const ALWAYS: readonly TargetName[] = ['service', 'floor', 'fastify']

export async function compare(
  database: Database,
  data: BenchData,
  { only, targets: names, comparison: timing }: ComparisonOptions,
  bench: Bench,
): Promise<Comparison> {
  const routes = listRoutes(data).filter(({ name }) => name.includes(only))
  const settings = await targetSettings(database, bench)
  const targets: Target[] = []
  try {
    for (const name of names) targets.push(await startTarget(name, settings))
    bench.log(`checking that ${names.join(', ')} send the same responses`)
    const checked = await checkResponses(targets, routes)
    for (const target of targets) await warmUp(target, routes, checked, timing, bench)
    const results: Comparison['results'] = new Map()
    for (const [i, connections] of timing.connections.entries()) {
      const measured = i === 0 ? targets : targets.filter(({ name }) => ALWAYS.includes(name))
      const byRoute = new Map<string, Rounds>()
      results.set(connections, byRoute)
      for (const route of routes) {
        bench.log(`${connections} connections: ${route.name}`)
        const rounds = timingOf(connections, i === 0, timing)
        byRoute.set(route.name, await measureRounds(bench.load, measured, checked, route.name, rounds, bench.postgres))
      }
    }
    return { routes, checked, results }
  } finally {
    for (const target of targets) await target.stop()
  }
}

/** Sends requests of all routes, so that their code is compiled before the first round. */
async function warmUp(
  { name, port }: Target,
  routes: BenchRoute[],
  checked: CheckedRoutes,
  timing: ComparisonTiming,
  { load, log }: Bench,
): Promise<void> {
  log(`warming up ${name}`)
  const byRoute = routes.map(route => checked.get(name)?.get(route.name)?.requests ?? [])
  const [connections] = timing.connections as [number]
  const job = { port, connections, seconds: timing.warmUp.all, warmUp: 0, requests: interleave(byRoute) }
  await load.run(job, () => {})
}

function timingOf(connections: number, first: boolean, { seconds, rounds, warmUp }: ComparisonTiming): Timing {
  return {
    connections,
    seconds,
    rounds: first ? rounds : 1,
    firstWarmUp: first ? warmUp.each : warmUp.round,
    warmUp: warmUp.round,
  }
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
  return { database, cursorSecret: secret, cpus }
}
