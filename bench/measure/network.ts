/** Measures questions about a network of 5,000 assets over HTTP, and the same of networks of 20 and 2,000 assets. */
import type { BenchData, CompanyName } from '../data/fill'
import { get, post } from '../load/load'
import type { Database } from '../servers/bench-cluster'
import { startTarget } from '../servers/targets'
import type { Bench } from './comparison'
import { median } from './rounds'
import { sendRequest } from './send-request'

/** Times of a whole request in milliseconds, medians, by the network that is asked about. */
export interface NetworkRow {
  question: string
  half: number
  /** The time that the first network may take. */
  target: number
  small: number
  large: number
}

type Question = [name: string, target: number, request: (key: string) => string]

const [FROM, TO] = ['2025-10-01', '2026-09-30']

const LAST_30_DAYS = '2026-09-01'

const NEAR = 'near: { latitude: 36, longitude: 138, meters: 400000 }'

const graphql =
  (selection: string, filter = '') =>
  (key: string): string => {
    const query = `{ assets${filter && `(filter: { ${filter} })`} { impressions(fromDate: "${FROM}", toDate: "${TO}") { ${selection} } } }`
    return post('/graphql', key, JSON.stringify({ query }))
  }

const rest =
  (path: string, parameters: string, from: string = FROM) =>
  (key: string): string =>
    get(`/v1/partner/${path}?from_date=${from}&to_date=${TO}${parameters}`, key)

const QUESTIONS: Question[] = [
  ['total of a year', 10, graphql('total')],
  ['a year by week', 10, rest('impressions/aggregate', '&grain=week')],
  ['a year by day, of one format', 10, rest('impressions/aggregate', '&grain=day&format=billboard')],
  ['a year by region', 10, rest('impressions/aggregate', '&group_by=region')],
  ['total of a year, within a distance', 40, graphql('total', NEAR)],
  ['top 10 of a year', 30, graphql('top(limit: 10) { impressions share asset { id } }')],
  ['a row per asset, of a year', 30, rest('impressions/aggregate', '&group_by=asset')],
  ['demographics/aggregate of 30 days', 15, rest('demographics/aggregate', '', LAST_30_DAYS)],
  ['demographics/aggregate of a year', 25, rest('demographics/aggregate', '')],
]

export async function measureNetwork(
  database: Database,
  data: BenchData,
  repetitions: number,
  bench: Bench,
): Promise<NetworkRow[]> {
  const service = await startTarget('service', database, data, bench.cpus)
  /** Returns the median of some repetitions, after one that is not measured. */
  const ask = async ([name, , request]: Question, network: CompanyName): Promise<number> => {
    const times: number[] = []
    for (let i = 0; i <= repetitions; i++) {
      const started = performance.now()
      const { status, body } = await sendRequest(service.port, request(data.keys[network]))
      times.push(performance.now() - started)
      if (status !== 200 || body.includes('"errors"')) throw new Error(`${name}: ${status} ${body.subarray(0, 500)}`)
    }
    return median(times.slice(1))
  }
  try {
    bench.log('network: warming up')
    for (const question of QUESTIONS) await ask(question, 'half')
    const rows: NetworkRow[] = []
    for (const question of QUESTIONS) {
      const [name, target] = question
      bench.log(`network: ${name}`)
      const [half, small, large] = [
        await ask(question, 'half'),
        await ask(question, 'small'),
        await ask(question, 'large'),
      ]
      rows.push({ question: name, half, target, small, large })
    }
    return rows
  } finally {
    await service.stop()
  }
}
