/** Whether answers of the same size take the same time whatever there is besides: ours on databases of several sizes, in turns. */

import { type Filled, fill } from '../data/fill'
import type { Size } from '../data/population'
import { GROUP, routesOf } from '../data/routes'
import type { Database, Server } from '../servers/bench-cluster'
import { start, type Target } from '../servers/targets'
import { type Bench, surroundings } from './comparison'
import { ask as send } from './response-check'
import { median } from './rounds'

/** Besides the one of the comparison. */
const SIZES: Record<string, Size> = {
  '100 × 90 days': { assets: 100, days: 90 },
  '1,000 × 90 days': { assets: 1_000, days: 90 },
  '100 × 5 years': { assets: 100, days: 1826 },
}

export interface Growth {
  sizes: string[]
  /** By route, in the order of the sizes; bytes are those of a body, on average. */
  routes: Map<string, { p50: number; bytes: number }[]>
}

/** A database with what is in it. */
export interface Place {
  database: Database
  data: Filled
}

const TIMING = { connections: 1, seconds: 0.4, warmUp: 0.1 }

const ROUNDS = 5

/** Before they are timed: what was compiled, and what is kept of rows, has to be there on all of them. */
const WARM_UP_SECONDS = 2

/** Requests of which the size of a body is worked out. */
const SIZED = 10

/** @param large the database of the comparison, under its name here */
export async function grow(server: Server, large: [string, Place], bench: Bench): Promise<Growth> {
  const places = new Map<string, Place>()
  for (const [i, [name, size]] of Object.entries(SIZES).entries()) {
    if (name === large[0]) continue
    bench.say(`filling ${name}`)
    const database = await server.create(`growth_${i}`)
    places.set(name, { database, data: await fill(database.ownerUrl, size) })
  }
  places.set(...large)
  const targets = new Map<string, Target>()
  try {
    for (const [name, { database }] of places)
      targets.set(name, await start('ours', await surroundings(database, bench)))
    return { sizes: [...places.keys()], routes: await measure(places, targets, bench) }
  } finally {
    for (const target of targets.values()) await target.stop()
    for (const i of Object.keys(SIZES).keys()) await server.drop(`growth_${i}`)
  }
}

async function measure(places: Map<string, Place>, targets: Map<string, Target>, { load, say }: Bench) {
  // As many everywhere as the smallest has.
  const group = Math.min(GROUP, ...[...places.values()].map(({ data }) => data.assets.length))
  const requests = new Map(
    [...places].map(([name, { data }]) => [
      name,
      new Map(routesOf(data, group).flatMap(route => (route.conditional ? [] : [[route.name, route.requests]]))),
    ]),
  )
  const everywhere = [...(requests.values().next().value?.keys() ?? [])].filter(route =>
    [...requests.values()].every(routes => routes.has(route)),
  )
  const routes: Growth['routes'] = new Map()
  for (const route of everywhere) {
    say(`growth: ${route}`)
    const p50s = new Map<string, number[]>([...places.keys()].map(name => [name, []]))
    for (let round = 0; round < ROUNDS; round++) {
      const warmUp = round === 0 ? WARM_UP_SECONDS : TIMING.warmUp
      for (const [name, { port }] of targets) {
        const asked = { ...TIMING, warmUp, port, requests: requests.get(name)?.get(route) ?? [] }
        const { p50 } = await load.run(asked, () => {})
        p50s.get(name)?.push(p50)
      }
    }
    const row: { p50: number; bytes: number }[] = []
    for (const [name, { port }] of targets) {
      const some = requests.get(name)?.get(route)?.slice(0, SIZED) ?? []
      let bytes = 0
      for (const each of some) bytes += (await send(port, each)).body.length / some.length
      row.push({ p50: median(p50s.get(name) ?? []), bytes })
    }
    routes.set(route, row)
  }
  return routes
}
