/** The comparison as tables: rates, CPU time with its aim, latency. */
import type { Comparison } from '../measure/comparison'
import { cpuOf, medianRound, type Rounds, rateOf, ratioOf, spread } from '../measure/rounds'
import { TARGETS, type TargetName } from '../servers/targets'
import { aligned, type Cell, markdown, ratio, short, whole } from './table'

/** The service may take this many times the CPU time of hand-written Fastify. */
const MAX_CPU_RATIO = 1

function verdict(rounds: Rounds): Cell {
  const value = ratioOf(rounds, 'service', 'fastify', cpuOf)
  return value === undefined ? undefined : value <= MAX_CPU_RATIO ? 'met' : 'missed'
}

/** For a terminal: rates, and CPU time per request in microseconds, of all targets of the first number of connections. */
export function quickTables({ routes, results, checked }: Comparison): string {
  const [[connections, byRoute]] = results as unknown as [[number, Map<string, Rounds>]]
  const targets = [...checked.keys()]
  const peers = targets.filter(name => name !== 'service')
  const rates = routes.map(route => {
    const rounds = byRoute.get(route.name)!
    return [
      route.name,
      ...targets.map(name => rateCell(rounds, name)),
      ...peers.map(name => ratio(ratioOf(rounds, 'service', name, rateOf))),
    ]
  })
  const cpu = routes.map(route => {
    const rounds = byRoute.get(route.name)!
    return [
      route.name,
      ...targets.flatMap(name => {
        const middle = medianRound(rounds.get(name))
        return [middle?.node, middle?.postgres, middle && cpuOf(middle)].map(micros)
      }),
      ...peers.map(name => ratio(ratioOf(rounds, 'service', name, cpuOf))),
      verdict(rounds),
    ]
  })
  const ratios = peers.map(name => `÷ ${name}`)
  return [
    `Responses per second on ${connections} connections`,
    aligned(['route', ...targets, ...ratios], rates),
    '\nCPU time per request in µs: node, PostgreSQL, sum',
    aligned(
      ['route', ...targets.flatMap(name => [name, 'PG', 'sum']), ...ratios, `at most ${MAX_CPU_RATIO} × fastify`],
      cpu,
    ),
  ].join('\n')
}

const micros = (ms: number | undefined): Cell => (ms === undefined ? undefined : whole(ms * 1000))

function rateCell(rounds: Rounds, name: TargetName): Cell {
  const ofTarget = rounds.get(name)
  const middle = medianRound(ofTarget)
  if (!ofTarget || !middle) return undefined
  const failed = middle.failed > 0 ? `, ${(middle.failed * 100).toFixed(1)}% failed` : ''
  return `${short(middle.rate)} ±${Math.round(spread(ofTarget) * 50)}%${failed}`
}

/** The peers that the service is compared with in the report. */
const PEERS = TARGETS.filter(name => name !== 'service')

const RATIOS = PEERS.map(name => `÷ ${name}`)

/** Rates of all targets, and their ratios. */
export function rateTable({ routes, results, checked }: Comparison, connections: number): string {
  const byRoute = results.get(connections)!
  const rows = routes.map(route => {
    const rounds = byRoute.get(route.name)!
    return [
      ...[route.name, whole(checked.get('service')?.get(route.name)?.bytes ?? 0)],
      ...TARGETS.map(name => rateCell(rounds, name)),
      ...PEERS.map(name => ratio(ratioOf(rounds, 'service', name, rateOf))),
    ]
  })
  return markdown(['route', 'bytes', ...TARGETS, ...RATIOS], rows)
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

/** CPU time per request in milliseconds, and its ratios. */
export function cpuTable({ routes, results }: Comparison, connections: number): string {
  const byRoute = results.get(connections)!
  const rows = routes.map(({ name: route }) => {
    const rounds = byRoute.get(route)!
    return [
      route,
      ...TARGETS.map(name => {
        const middle = medianRound(rounds.get(name))
        return middle && `${short(middle.node, 2)} + ${short(middle.postgres, 2)}`
      }),
      ...PEERS.map(name => ratio(ratioOf(rounds, 'service', name, cpuOf))),
      verdict(rounds),
    ]
  })
  return markdown(['route', ...TARGETS, ...RATIOS, `at most ${MAX_CPU_RATIO} × fastify`], rows)
}
