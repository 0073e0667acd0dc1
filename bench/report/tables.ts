/** The results as tables for a terminal: rates, CPU time with its aim, and the questions about networks. */
import { assetsOf } from '../data/fill'
import type { Comparison } from '../measure/comparison'
import { NETWORKS, type NetworkRow } from '../measure/network'
import { cpuOf, medianRound, type Rounds, rateOf, ratioOf } from '../measure/rounds'

type Cell = string | number | undefined

/** The service may take this many times the CPU time of hand-written Fastify. */
const MAX_CPU_RATIO = 1

/** A network of 20 assets may take this many milliseconds for any question. */
const MAX_OF_SMALL = 12

export function comparisonTables({ targets, sizes, results }: Comparison): string {
  const peers = targets.filter(name => name !== 'service')
  const ratios = peers.map(name => `÷ ${name}`)
  const rowsOf = (cells: (rounds: Rounds, route: string) => Cell[]) =>
    [...results].map(([name, rounds]) => [name, ...cells(rounds, name)])
  const rates = rowsOf((rounds, route) => [
    whole(sizes.get(route)),
    ...targets.map(name => whole(medianRound(rounds.get(name))?.rate)),
    ...peers.map(name => ratioOf(rounds, 'service', name, rateOf)?.toFixed(2)),
  ])
  const cpu = rowsOf(rounds => {
    const ratio = ratioOf(rounds, 'service', 'fastify', cpuOf)
    return [
      ...targets.flatMap(name => {
        const middle = medianRound(rounds.get(name))
        return [middle?.node, middle?.postgres, middle && cpuOf(middle)].map(ms => whole(ms && ms * 1000))
      }),
      ...peers.map(name => ratioOf(rounds, 'service', name, cpuOf)?.toFixed(2)),
      ratio && verdict(ratio <= MAX_CPU_RATIO),
    ]
  })
  return [
    'Responses per second',
    aligned(['route', 'bytes', ...targets, ...ratios], rates),
    '\nCPU time per request in µs: node, PostgreSQL, sum',
    aligned(
      ['route', ...targets.flatMap(name => [name, 'PG', 'sum']), ...ratios, `at most ${MAX_CPU_RATIO} × fastify`],
      cpu,
    ),
  ].join('\n')
}

/** @param assets of all networks */
export function networkTable(assets: number, rows: readonly NetworkRow[]): string {
  const [large, middle, small] = NETWORKS.map(name => `${assetsOf(name, assets)} assets, ms`)
  return aligned(
    ['question', large!, 'target', '', middle!, 'a quarter, or 20', small!, `at most ${MAX_OF_SMALL}`],
    rows.map(({ question, large, target, middle, small }) => [
      ...[question, large.toFixed(1), target, verdict(large <= target)],
      ...[middle.toFixed(1), verdict(middle <= Math.max(20, target / 4))],
      ...[small.toFixed(1), verdict(small <= MAX_OF_SMALL)],
    ]),
  )
}

const whole = (number: number | undefined): Cell => number && Math.round(number)

const verdict = (met: boolean): string => (met ? 'met' : 'missed')

/** A table whose columns except the first are aligned to the right. */
function aligned(header: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const texts = [header, ...rows].map(row => row.map(cell => String(cell ?? '–')))
  const widths = header.map((_, i) => Math.max(...texts.map(row => row[i]?.length ?? 0)))
  const pad = (text: string, i: number) => (i === 0 ? text.padEnd(widths[i]!) : text.padStart(widths[i]!))
  return texts.map(row => row.map(pad).join('  ')).join('\n')
}
