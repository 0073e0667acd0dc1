/** Measures questions about a network of 5,000 assets over HTTP, and the same of networks of 500 and 20 assets. */
import type { BenchData, CompanyName } from '../data/fill'
import { get, post } from '../load/load'
import type { Database } from '../servers/bench-cluster'
import { cpuTime, cpuTimeOfTree } from '../servers/processes'
import { startTarget } from '../servers/targets'
import { type Bench, median } from './rounds'
import { sendRequest } from './send-request'

/** CPU of node and PostgreSQL for a request in milliseconds, medians, by the network that is asked about. */
export interface NetworkRow extends Record<(typeof NETWORKS)[number], number> {
  question: string
  /** The CPU that the large network may take. */
  target: number
}

export const NETWORKS = ['large', 'middle', 'small'] as const

type Question = [name: string, target: number, request: (key: string, filledAt: string) => string]

const [FROM, TO] = ['2025-10-01', '2026-09-30']

const LAST_30_DAYS = '2026-09-01'

const NEAR = 'near: { latitude: 36, longitude: 138, meters: 400000 }'

const graphql =
  (selection: string, filter = '') =>
  (key: string): string => {
    const query = `{ assets${filter && `(filter: { ${filter} })`} { impressions(fromDate: "${FROM}", toDate: "${TO}") { ${selection} } } }`
    return post('/graphql', key, JSON.stringify({ query }))
  }

/** As of the time before each month of a third of the assets has changed. */
const past =
  (parameters: string): Question[2] =>
  (key, filledAt) =>
    rest('impressions/aggregate', `${parameters}&as_of=${filledAt}`)(key)

const rest =
  (path: string, parameters: string, from: string = FROM) =>
  (key: string): string =>
    get(`/v1/partner/${path}?from_date=${from}&to_date=${TO}${parameters}`, key)

const QUESTIONS: Question[] = [
  ['total of a year', 15, graphql('total')],
  ['a year by day', 120, rest('impressions/aggregate', '&grain=day')],
  ['a year by week', 120, rest('impressions/aggregate', '&grain=week')],
  ['a year by month', 35, rest('impressions/aggregate', '&grain=month')],
  ['a year by quarter', 35, rest('impressions/aggregate', '&grain=quarter')],
  ['a year by day, of one format', 100, rest('impressions/aggregate', '&grain=day&format=billboard')],
  ['a year by day, of active assets', 100, rest('impressions/aggregate', '&grain=day&status=active')],
  ['a year by day and region', 200, rest('impressions/aggregate', '&grain=day&group_by=region')],
  ['a year by month and region', 130, rest('impressions/aggregate', '&grain=month&group_by=region')],
  ['a year by month and city', 130, rest('impressions/aggregate', '&grain=month&group_by=city')],
  ['total of a year, within a distance', 40, graphql('total', NEAR)],
  ['top 10 of a year', 60, graphql('top(limit: 10) { impressions share assetId }')],
  ['a row per asset, of a year', 60, rest('impressions/aggregate', '&group_by=asset')],
  ['demographics/aggregate of 30 days', 20, rest('demographics/aggregate', '', LAST_30_DAYS)],
  ['demographics/aggregate of a year', 35, rest('demographics/aggregate', '')],
  ['a year by day, as of the past', 350, past('&grain=day')],
  ['a year by day and region, as of the past', 450, past('&grain=day&group_by=region')],
]

export async function measureNetwork(
  database: Database,
  data: BenchData,
  repetitions: number,
  bench: Bench,
): Promise<NetworkRow[]> {
  const service = await startTarget('service', database, data, bench.cpus)
  const cpu = () => cpuTime(service.pid) + cpuTimeOfTree(bench.postgres)
  /** Returns the median of some repetitions, after one that is not measured. */
  const ask = async ([name, , request]: Question, network: CompanyName): Promise<number> => {
    const times: number[] = []
    for (let i = 0; i <= repetitions; i++) {
      const before = cpu()
      const { status, body } = await sendRequest(service.port, request(data.keys[network], data.filledAt))
      times.push(cpu() - before)
      if (status !== 200 || body.includes('"errors"')) throw new Error(`${name}: ${status} ${body.subarray(0, 500)}`)
    }
    return median(times.slice(1))
  }
  try {
    bench.log('network: warming up')
    for (const question of QUESTIONS) await ask(question, 'large')
    const rows: NetworkRow[] = []
    for (const each of QUESTIONS) {
      const [question, target] = each
      bench.log(`network: ${question}`)
      const row: NetworkRow = { question, target, large: 0, middle: 0, small: 0 }
      for (const network of NETWORKS) row[network] = await ask(each, network)
      rows.push(row)
    }
    return rows
  } finally {
    await service.stop()
  }
}
