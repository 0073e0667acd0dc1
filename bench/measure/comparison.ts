/** Ours against its peers: each route, at each number of connections, in rounds that take turns. */

import type { Filled } from '../data/fill'
import { type BenchRoute, routesOf } from '../data/routes'
import type { Load } from '../load/load'
import type { Options } from '../options'
import type { Database } from '../servers/bench-cluster'
import { ask } from '../servers/bench-cluster'
import { memoryOf } from '../servers/processes'
import { type Surroundings, start, type Target, type TargetName } from '../servers/targets'
import { check, type Findings } from './response-check'
import { type Rounds, time } from './rounds'

export interface Comparison {
  routes: BenchRoute[]
  findings: Findings
  /** By number of connections, then by route. */
  results: Map<number, Map<string, Rounds>>
  /** Megabytes that ours keeps, just started and after all of it. */
  memory: { started: number; loaded: number }
}

/** What is measured with: the generator, the postmaster, the CPUs of the servers. */
export interface Bench {
  load: Load
  postgres: number
  cpus: string | undefined
  say(line: string): void
}

export interface Asked {
  only: string
  targets: readonly TargetName[]
  connections: readonly number[]
  rounds: number
  seconds: number
  /**
   * What is measured is how a server goes on, not how it begins: the compiler of what is asked for often shares the server's
   * one CPU, and takes seconds.
   */
  warmUp: Options['warmUp']
  heavySeconds: number
}

/** Seconds before each round. */
const WARM_UP = 0.1

const FEW_CONNECTIONS = 4

/** These only are timed at other numbers of connections than the first. */
const FEW: readonly TargetName[] = ['ours', 'floor', 'fastify']

export async function compare(database: Database, data: Filled, asked: Asked, bench: Bench): Promise<Comparison> {
  const routes = routesOf(data).filter(({ name }) => name.includes(asked.only))
  const at = await surroundings(database, bench)
  bench.say(`checking that ${asked.targets.join(', ')} answer the same`)
  const findings = await check(asked.targets, routes, at)
  const targets: Target[] = []
  try {
    for (const name of asked.targets) targets.push(await start(name, at))
    const [ours] = targets as [Target]
    const memory = { started: memoryOf(ours.pid), loaded: 0 }
    for (const { name, port } of targets) {
      bench.say(`warming up ${name}`)
      const requests = inTurn(
        routes.map(route => (!route.heavy && findings.get(name)?.get(route.name)?.requests) || []),
      )
      const job = { port, connections: asked.connections[0] as number, seconds: asked.warmUp.all, warmUp: 0, requests }
      await bench.load.run(job, () => {})
    }
    const results: Comparison['results'] = new Map()
    for (const [i, connections] of asked.connections.entries()) {
      const some = i === 0 ? targets : targets.filter(({ name }) => FEW.includes(name))
      const timing = {
        connections,
        seconds: asked.seconds,
        rounds: i === 0 ? asked.rounds : 1,
        firstWarmUp: i === 0 ? asked.warmUp.each : WARM_UP,
        warmUp: WARM_UP,
      }
      const byRoute = new Map<string, Rounds>()
      results.set(connections, byRoute)
      for (const { name, heavy } of routes) {
        // With more at a time one would only wait for the others.
        if (heavy && i > 0) continue
        bench.say(`${connections} connections: ${name}`)
        const its = heavy
          ? { ...timing, connections: FEW_CONNECTIONS, seconds: Math.max(asked.heavySeconds, 2 * asked.seconds) }
          : timing
        byRoute.set(name, await time(bench.load, some, findings, name, its, bench.postgres))
      }
    }
    memory.loaded = memoryOf(ours.pid)
    return { routes, findings, results, memory }
  } finally {
    for (const target of targets) await target.stop()
  }
}

/** The first of each list, then the second of each, and so on. */
const inTurn = (lists: string[][]): string[] =>
  Array.from({ length: Math.max(...lists.map(({ length }) => length)) }, (_, i) =>
    lists.flatMap(list => list[i] ?? []),
  ).flat()

export async function surroundings(database: Database, { cpus }: Bench): Promise<Surroundings> {
  const [{ secret }] = await ask<{ secret: string }>(
    database.ownerUrl,
    `SELECT encode(cursor_secret, 'hex') AS secret FROM service`,
  )
  return { database, cursorSecret: secret, cpus }
}
