/** Times targets against one another: in rounds that take turns, so that what disturbs the machine disturbs all. */

import type { Load } from '../load/load'
import { cpuOf, cpuOfFamily } from '../servers/processes'
import type { Target, TargetName } from '../servers/targets'
import type { Findings } from './response-check'

export interface Timing {
  connections: number
  rounds: number
  seconds: number
  /** Seconds that do not count, before the first round of a target and before the others. */
  firstWarmUp: number
  warmUp: number
}

/** What one round came to; milliseconds, CPU a request. */
export interface Round {
  /** Good answers a second. */
  rate: number
  /** The part of all answers that were not good. */
  failed: number
  p50: number
  p99: number
  node: number
  postgres: number
  generator: number
}

export type Rounds = Map<TargetName, Round[]>

/**
 * Times a route.
 *
 * @param postgres process id of the postmaster
 */
export async function time(
  load: Load,
  targets: readonly Target[],
  findings: Findings,
  route: string,
  { connections, rounds, seconds, firstWarmUp, warmUp }: Timing,
  postgres: number,
): Promise<Rounds> {
  const results: Rounds = new Map()
  for (let round = 0; round < rounds; round++) {
    for (const { name, pid, port } of targets) {
      const requests = findings.get(name)?.get(route)?.requests
      if (!requests) continue
      const used = () => [cpuOf(pid), cpuOfFamily(postgres)] as const
      let before = used()
      const figures = await load.run(
        { port, connections, seconds, warmUp: round === 0 ? firstWarmUp : warmUp, requests },
        () => {
          before = used()
        },
      )
      const after = used()
      const good = (figures.statuses[200] ?? 0) + (figures.statuses[304] ?? 0)
      // Of an answer that takes longer than a round there is no rate to be told.
      if (figures.requests === 0) continue
      const all = results.get(name) ?? []
      results.set(name, all)
      all.push({
        rate: good / figures.seconds,
        failed: 1 - good / figures.requests,
        p50: figures.p50,
        p99: figures.p99,
        node: (after[0] - before[0]) / figures.requests,
        postgres: (after[1] - before[1]) / figures.requests,
        generator: figures.cpu / figures.requests,
      })
    }
  }
  return results
}

export const median = (numbers: readonly number[]): number => {
  const sorted = numbers.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  return sorted.length % 2
    ? (sorted[Math.floor(middle)] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2
}

/** The median of each figure of some rounds, undefined without any. */
export function middle(rounds: readonly Round[] | undefined): Round | undefined {
  if (!rounds || rounds.length === 0) return undefined
  const names = Object.keys(rounds[0] as Round) as (keyof Round)[]
  return Object.fromEntries(names.map(name => [name, median(rounds.map(round => round[name]))])) as unknown as Round
}

/** How far the rates of some rounds lie apart, as a part of their median. */
export function spread(rounds: readonly Round[]): number {
  const rates = rounds.map(({ rate }) => rate)
  return (Math.max(...rates) - Math.min(...rates)) / median(rates)
}

/** The rate of a target against another's, round by round, and then the median: rounds that stand beside each other share their noise. */
export function ratio(rounds: Rounds, of: TargetName, to: TargetName): number | undefined {
  const [ours, theirs] = [rounds.get(of), rounds.get(to)]
  if (!ours || !theirs) return undefined
  const pairs = ours.slice(0, theirs.length).map(({ rate }, i) => rate / (theirs[i] as Round).rate)
  return pairs.length > 0 ? median(pairs) : undefined
}
