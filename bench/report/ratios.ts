/** The comparison as tables: rates, what they are to one another, and whether that is what was aimed at. */

import type { BenchRoute, Kind } from '../data/routes'
import type { Comparison } from '../measure/comparison'
import { middle, type Rounds, ratio, spread } from '../measure/rounds'
import { TARGETS, type TargetName } from '../servers/targets'
import { aligned, type Cell, markdown, short, times, whole } from './table'

/** At least so many times the other's rate. */
const AIMS: Record<Kind, Partial<Record<TargetName, number>>> = {
  small: { floor: 0.75, fastify: 1 },
  large: { floor: 0.6, fastify: 1 },
  graphql: { apollo: 5 },
}

/** What was aimed at and is not reached; undefined where there is nothing to hold it against. */
export function missed(rounds: Rounds, kind: Kind): string[] | undefined {
  const known = Object.entries(AIMS[kind]).flatMap(([name, aim]) => {
    const reached = ratio(rounds, 'ours', name as TargetName)
    return reached === undefined ? [] : [{ name, aim, reached }]
  })
  if (known.length === 0) return undefined
  return known.filter(({ aim, reached }) => reached < aim).map(({ name, aim }) => `${aim} × ${name}`)
}

const verdict = (rounds: Rounds, { kind }: BenchRoute): Cell => {
  const short = missed(rounds, kind)
  return short && (short.length === 0 ? 'met' : `missed: ${short.join(', ')}`)
}

/** For a terminal: ratios against the floor. */
export function quickTable({ routes, results }: Comparison): string {
  const [[connections, byRoute]] = results as unknown as [[number, Map<string, Rounds>]]
  const rows = routes.map(route => {
    const rounds = byRoute.get(route.name) as Rounds
    const [ours, floor] = [middle(rounds.get('ours')), middle(rounds.get('floor'))]
    const cpu = ours && floor && (ours.node + ours.postgres) / (floor.node + floor.postgres)
    return [
      ...[route.name, short(ours?.rate), short(floor?.rate), times(ratio(rounds, 'ours', 'floor'))],
      ...[short(ours?.node), short(floor?.node), short(ours?.postgres), short(floor?.postgres), times(cpu)],
      verdict(rounds, route),
    ]
  })
  const header = ['route', 'ours/s', 'floor/s', 'ratio', 'node ms', 'floor', 'PG ms', 'floor', 'CPU ratio', 'aim']
  return `${connections} connections; CPU in ms a request\n\n${aligned(header, rows)}`
}

/** Requests a second of all targets, the ratios, the aims. */
export function rateTable({ routes, results, findings }: Comparison, connections: number): string {
  const byRoute = results.get(connections) as Map<string, Rounds>
  const rows = routes.map(route => {
    const rounds = byRoute.get(route.name) as Rounds
    const rate = (name: TargetName) => {
      const known = rounds.get(name)
      return known && `${short(middle(known)?.rate)} ±${Math.round(spread(known) * 50)}%`
    }
    return [
      ...[route.name, whole(findings.get('ours')?.get(route.name)?.bytes ?? 0)],
      ...TARGETS.map(rate),
      ...(['floor', 'fastify', 'apollo'] as const).map(name => times(ratio(rounds, 'ours', name))),
      verdict(rounds, route),
    ]
  })
  const header = ['route', 'bytes', ...TARGETS, '× floor', '× Fastify', '× Apollo', 'aim']
  return markdown(header, rows)
}

/** p50 and p99 at each number of connections. */
export function latencyTable({ routes, results }: Comparison): string {
  const columns = [...results.keys()].toSorted((a, b) => a - b)
  const names = ['ours', 'floor', 'fastify'] as const
  const rows = routes.map(({ name: route }) => [
    route,
    ...columns.flatMap(connections =>
      names.map(name => {
        const known = middle(results.get(connections)?.get(route)?.get(name))
        return known && `${short(known.p50, 2)} / ${short(known.p99, 2)}`
      }),
    ),
  ])
  return markdown(['route', ...columns.flatMap(connections => names.map(name => `${name}, ${connections}`))], rows)
}

/** Milliseconds of CPU a request, in node and in PostgreSQL. */
export function cpuTable({ routes, results, findings }: Comparison, connections: number): string {
  const byRoute = results.get(connections) as Map<string, Rounds>
  const rows = routes.map(({ name: route }) => [
    route,
    ...TARGETS.map(name => {
      const known = middle(byRoute.get(route)?.get(name))
      return known && `${short(known.node, 2)} + ${short(known.postgres, 2)}`
    }),
    ...TARGETS.map(name => {
      const known = findings.get(name)?.get(route)
      return known && `${short(known.statements, 2)} in ${short(known.flights, 2)}`
    }),
  ])
  const header = ['route', ...TARGETS, ...TARGETS.map(name => `${name}: statements in flights`)]
  return markdown(header, rows)
}
