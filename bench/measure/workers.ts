/** Compares the CPU time of a request in one process with that in several workers, and with that of PostgreSQL. */
import type { BenchData } from '../data/fill'
import { listRoutes } from '../data/routes'
import { aligned, short } from '../report/table'
import type { Database } from '../servers/bench-cluster'
import { cpuTime, cpuTimeOfTree } from '../servers/processes'
import { startTarget, type Target } from '../servers/targets'
import { type Bench, type ComparisonTiming, targetSettings } from './comparison'
import { median } from './rounds'

/** CPU times in microseconds per request. */
interface Costs {
  /** CPU of all processes of the service. */
  node: number
  /** CPU of the process that accepts the connections. */
  primary: number
  postgres: number
}

/** Prints a table of the routes whose name contains `only`. */
export async function measureWorkers(
  database: Database,
  data: BenchData,
  { workers, only, comparison: timing }: { workers: number; only: string; comparison: ComparisonTiming },
  bench: Bench,
): Promise<void> {
  const routes = listRoutes(data).filter(({ name, conditional }) => !conditional && name.includes(only))
  const settings = await targetSettings(database, bench)
  const targets: Target[] = []
  try {
    for (const count of [1, workers]) {
      targets.push(await startTarget('service', { ...settings, env: { WORKERS: String(count) } }))
    }
    const measure = (target: Target, requests: string[], seconds: number) =>
      costs(target, requests, seconds, timing, bench)
    for (const target of targets) {
      await measure(
        target,
        routes.flatMap(({ requests }) => requests.slice(0, 20)),
        timing.warmUp.all,
      )
    }
    const rows = []
    for (const { name, requests } of routes) {
      bench.log(name)
      const results = targets.map((): Costs[] => [])
      for (const target of targets) await measure(target, requests, timing.warmUp.each)
      for (let round = 0; round < timing.rounds; round++) {
        for (const [i, target] of targets.entries()) results[i]?.push(await measure(target, requests, timing.seconds))
      }
      const [one, several] = results as [Costs[], Costs[]]
      const ratio = median(several.map(({ node }, i) => node / (one[i]?.node as number)))
      const middle = (costs: Costs[], of: keyof Costs) => median(costs.map(each => each[of]))
      const [node, postgres] = [middle(several, 'node'), middle(several, 'postgres')]
      rows.push([
        name,
        ...[middle(one, 'node'), node, middle(several, 'primary')].map(number => short(number)),
        ratio.toFixed(2),
        short(postgres),
        (node / postgres).toFixed(1),
      ])
    }
    const header = [
      'µs of CPU per request',
      '1 process',
      `${workers} workers`,
      'of it primary',
      'ratio',
      'PostgreSQL',
      'processes per core of it',
    ]
    console.log(aligned(header, rows))
  } finally {
    for (const target of targets) await target.stop()
  }
}

async function costs(
  { pid, port }: Target,
  requests: string[],
  seconds: number,
  { connections: [connections = 1], warmUp }: ComparisonTiming,
  { load, postgres }: Bench,
): Promise<Costs> {
  const read = () => ({ node: cpuTimeOfTree(pid), primary: cpuTime(pid), postgres: cpuTimeOfTree(postgres) })
  let before = read()
  const job = { port, connections, seconds, warmUp: warmUp.round, requests }
  const figures = await load.run(job, () => {
    before = read()
  })
  const after = read()
  const perRequest = (name: keyof Costs) => ((after[name] - before[name]) / figures.requests) * 1000
  return { node: perRequest('node'), primary: perRequest('primary'), postgres: perRequest('postgres') }
}
