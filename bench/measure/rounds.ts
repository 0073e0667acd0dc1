/** Measures targets in alternating rounds, so that disturbances of the machine affect all of them. */
import type { BenchRoute } from '../data/routes'
import type { Load } from '../load/load'
import { cpuTime, cpuTimeOfTree } from '../servers/processes'
import type { Target, TargetName } from '../servers/targets'

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

/** The result of one round. CPU times are in milliseconds per request. */
export interface Round {
  /** Responses with status 200 per second. */
  rate: number
  /** CPU time of the node process. */
  node: number
  /** CPU time of all processes of PostgreSQL. */
  postgres: number
}

export type Rounds = Map<TargetName, Round[]>

/** Measures one route. */
export async function measureRounds(
  { load, postgres }: Bench,
  targets: readonly Target[],
  { requests }: BenchRoute,
  { connections, rounds, seconds, warmUp }: ComparisonOptions['timing'],
): Promise<Rounds> {
  const results: Rounds = new Map()
  for (let round = 0; round < rounds; round++) {
    for (const { name, pid, port } of targets) {
      const job = { port, connections, seconds, warmUp: round === 0 ? warmUp.each : warmUp.round, requests }
      const cpuTimes = () => ({ node: cpuTime(pid), postgres: cpuTimeOfTree(postgres) })
      let before = cpuTimes()
      const figures = await load.run(job, () => {
        before = cpuTimes()
      })
      const after = cpuTimes()
      // No response came within the round.
      if (figures.requests === 0) continue
      const good = figures.statuses[200] ?? 0
      const ofTarget = results.get(name) ?? []
      results.set(name, ofTarget)
      ofTarget.push({
        rate: good / figures.seconds,
        node: (after.node - before.node) / figures.requests,
        postgres: (after.postgres - before.postgres) / figures.requests,
      })
    }
  }
  return results
}

export const median = (numbers: readonly number[]): number => {
  const sorted = numbers.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  return sorted.length % 2 ? sorted[Math.floor(middle)]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** The median of each figure; undefined without any rounds. */
export function medianRound(rounds: readonly Round[] | undefined): Round | undefined {
  if (!rounds || rounds.length === 0) return undefined
  const names = Object.keys(rounds[0]!) as (keyof Round)[]
  return Object.fromEntries(names.map(name => [name, median(rounds.map(round => round[name]))])) as unknown as Round
}

/** The median ratio of a figure of two targets, round by round: rounds next to each other share their noise. */
export function ratioOf(
  rounds: Rounds,
  of: TargetName,
  to: TargetName,
  figure: (round: Round) => number,
): number | undefined {
  const [numerators, denominators] = [rounds.get(of), rounds.get(to)]
  if (!numerators || !denominators) return undefined
  const ratios = numerators.slice(0, denominators.length).map((round, i) => figure(round) / figure(denominators[i]!))
  return ratios.length > 0 ? median(ratios) : undefined
}

export const rateOf = ({ rate }: Round): number => rate

/** Returns the CPU time of node and PostgreSQL. */
export const cpuOf = ({ node, postgres }: Round): number => node + postgres
