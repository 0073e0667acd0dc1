/** The comparison as tables: rates, their ratios and aims, CPU time, latency. */
import type { BenchRoute, Kind } from '../data/routes'
import type { Comparison } from '../measure/comparison'
import { medianRound, type Rounds, rateRatio, spread } from '../measure/rounds'
import { TARGETS, type TargetName } from '../servers/targets'
import { aligned, type Cell, markdown, ratio, short, whole } from './table'

/** The least ratio of the service's rate to another target's. */
const AIMS: Record<Kind, Partial<Record<TargetName, number>>> = {
  small: { fastify: 1.1 },
  large: { fastify: 1.1 },
  graphql: { apollo: 5 },
}

function verdict(rounds: Rounds, { kind }: BenchRoute): Cell {
  const reached = Object.entries(AIMS[kind]).flatMap(([name, aim]) => {
    const value = rateRatio(rounds, 'service', name as TargetName)
    return value === undefined ? [] : [{ name, aim, met: value >= aim }]
  })
  if (reached.length === 0) return undefined
  const missed = reached.filter(({ met }) => !met).map(({ name, aim }) => `${aim} × ${name}`)
  return missed.length === 0 ? 'met' : `missed: ${missed.join(', ')}`
}

/** For a terminal: rates, and CPU time per request in microseconds, of all targets of the first number of connections. */
export function quickTables({ routes, results, checked }: Comparison): string {
  const [[connections, byRoute]] = results as unknown as [[number, Map<string, Rounds>]]
  const targets = [...checked.keys()]
  const peers = targets.filter(name => name !== 'service')
  const rates = routes.map(route => {
    const rounds = byRoute.get(route.name) as Rounds
    return [
      route.name,
      ...targets.map(name => rateCell(rounds, name)),
      ...peers.map(name => ratio(rateRatio(rounds, 'service', name))),
      verdict(rounds, route),
    ]
  })
  const cpu = routes.map(route => {
    const times = new Map(targets.map(name => [name, cpuTimes(byRoute.get(route.name) as Rounds, name)]))
    const service = times.get('service')?.sum
    return [
      route.name,
      ...targets.flatMap(name => [times.get(name)?.node, times.get(name)?.postgres, times.get(name)?.sum].map(micros)),
      ...peers.map(name => ratio(quotient(service, times.get(name)?.sum))),
    ]
  })
  const ratios = peers.map(name => `÷ ${name}`)
  return [
    `Responses per second on ${connections} connections`,
    aligned(['route', ...targets, ...ratios, 'aim'], rates),
    '\nCPU time per request in µs: node, PostgreSQL, sum',
    aligned(['route', ...targets.flatMap(name => [name, 'PG', 'sum']), ...ratios], cpu),
  ].join('\n')
}

/** Median CPU times per request in milliseconds. */
function cpuTimes(rounds: Rounds, name: TargetName): { node: number; postgres: number; sum: number } | undefined {
  const round = medianRound(rounds.get(name))
  return round && { node: round.node, postgres: round.postgres, sum: round.node + round.postgres }
}

const micros = (ms: number | undefined): Cell => (ms === undefined ? undefined : whole(ms * 1000))

const quotient = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? undefined : a / b

function rateCell(rounds: Rounds, name: TargetName): Cell {
  const ofTarget = rounds.get(name)
  const middle = medianRound(ofTarget)
  if (!ofTarget || !middle) return undefined
  const failed = middle.failed > 0 ? `, ${(middle.failed * 100).toFixed(1)}% failed` : ''
  return `${short(middle.rate)} ±${Math.round(spread(ofTarget) * 50)}%${failed}`
}

/** Rates of all targets, their ratios and the aims. */
export function rateTable({ routes, results, checked }: Comparison, connections: number): string {
  const byRoute = results.get(connections) as Map<string, Rounds>
  const rows = routes.map(route => {
    const rounds = byRoute.get(route.name) as Rounds
    return [
      ...[route.name, whole(checked.get('service')?.get(route.name)?.bytes ?? 0)],
      ...TARGETS.map(name => rateCell(rounds, name)),
      ...(['floor', 'fastify', 'apollo'] as const).map(name => ratio(rateRatio(rounds, 'service', name))),
      verdict(rounds, route),
    ]
  })
  return markdown(['route', 'bytes', ...TARGETS, '÷ floor', '÷ fastify', '÷ apollo', 'aim'], rows)
}

/** p50 and p99 at each number of connections. */
export function latencyTable({ routes, results }: Comparison): string {
  const columns = [...results.keys()].toSorted((a, b) => a - b)
  const names = ['service', 'floor', 'fastify'] as const
  const rows = routes.map(({ name: route }) => [
    route,
    ...columns.flatMap(connections =>
      names.map(name => {
        const middle = medianRound(results.get(connections)?.get(route)?.get(name))
        return middle && `${short(middle.p50, 2)} / ${short(middle.p99, 2)}`
      }),
    ),
  ])
  return markdown(['route', ...columns.flatMap(connections => names.map(name => `${name}, ${connections}`))], rows)
}

/** CPU time per request in milliseconds, and the statements and round trips of a request. */
export function cpuTable({ routes, results, checked }: Comparison, connections: number): string {
  const byRoute = results.get(connections) as Map<string, Rounds>
  const rows = routes.map(({ name: route }) => [
    route,
    ...TARGETS.map(name => {
      const times = cpuTimes(byRoute.get(route) as Rounds, name)
      return times && `${short(times.node, 2)} + ${short(times.postgres, 2)}`
    }),
    ...TARGETS.map(name => {
      const counts = checked.get(name)?.get(route)
      return counts && `${short(counts.statements, 2)} in ${short(counts.roundTrips, 2)}`
    }),
  ])
  return markdown(['route', ...TARGETS, ...TARGETS.map(name => `${name}: statements in round trips`)], rows)
}
