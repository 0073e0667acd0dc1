/**
 * Measures questions about a network of 5,000 assets: the service over HTTP, beside the statement that adds up the days of
 * each asset, and networks of 20 and 2,000 assets beside each other.
 */
import { Client } from 'pg'
import { GROUP_COLUMNS } from '../../db/queries/demographics'
import { fillNetworks, NETWORK_YEAR, type NetworkName, type Networks } from '../data/network'
import { get, post } from '../load/load'
import type { BenchCluster, Database } from '../servers/bench-cluster'
import { startTarget } from '../servers/targets'
import { type Bench, targetSettings } from './comparison'
import { median } from './rounds'
import { sendRequest } from './send-request'

/** Times in milliseconds, medians. */
export interface NetworkRow {
  question: string
  /** The statement alone that adds up sensor-days or demographic days. */
  sums: number
  /** A whole request. */
  service: number
  target: number
  /** The same request for networks of 20 and of 2,000 assets. */
  small: number
  large: number
}

export interface NetworkSize {
  /** In total; half of them are the measured network. */
  assets: number
  /** The months of counts and demographics, up to the last one of the year. */
  months: number
  repetitions: number
}

const MAX_SUM_REPETITIONS = 3

interface Question {
  name: string
  target: number
  request(key: string): string
  /** $1: the number of the company, $2 and $3: the dates. */
  sums: string
  from: string
}

const [FROM, TO] = NETWORK_YEAR

const LAST_30_DAYS = '2026-09-01'

const NEAR = 'near: { latitude: 51, longitude: 10, meters: 400000 }'

const graphql =
  (selection: string, filter = '') =>
  (key: string): string =>
    post(
      '/graphql',
      key,
      JSON.stringify({
        query: `{ assets${filter && `(filter: { ${filter} })`} { impressions(fromDate: "${FROM}", toDate: "${TO}") { ${selection} } } }`,
      }),
    )

const table =
  (args: string, filter = '') =>
  (key: string): string =>
    post(
      '/graphql',
      key,
      JSON.stringify({
        query: `{ impressionsAggregate(fromDate: "${FROM}", toDate: "${TO}", ${args}, filter: { ${filter} }) { rows { start impressions } } }`,
      }),
    )

const rest =
  (path: string, parameters: string, from: string = FROM) =>
  (key: string): string =>
    get(`/v1/partner/${path}?from_date=${from}&to_date=${TO}${parameters}`, key)

const sensorDays = (columns: string, more = '') =>
  `SELECT ${columns} sum(d.impressions), count(DISTINCT d.asset) FROM assets a JOIN sensor_days d ON d.asset = a.number
   WHERE a.company = $1 AND d.date BETWEEN $2 AND $3 ${more}`

const NEAR_SQL = 'AND a.latitude BETWEEN 47.4 AND 54.6 AND a.longitude BETWEEN 4.2 AND 15.8'

const DEMOGRAPHICS = `SELECT count(DISTINCT d.asset), ${GROUP_COLUMNS.map(group => `sum(d.${group})`)}
  FROM assets a JOIN demographic_days d ON d.asset = a.number WHERE a.company = $1 AND d.date BETWEEN $2 AND $3`

const QUESTIONS: Question[] = [
  {
    name: 'total of a year',
    target: 10,
    request: graphql('total'),
    sums: sensorDays(''),
    from: FROM,
  },
  {
    name: 'a year by week',
    target: 10,
    request: table('grain: week'),
    sums: sensorDays("date_trunc('week', d.date),", 'GROUP BY 1'),
    from: FROM,
  },
  {
    name: 'a year by day, of one format',
    target: 10,
    request: table('grain: day', 'format: [billboard]'),
    sums: sensorDays('d.date,', `AND a.format = 'billboard' GROUP BY 1`),
    from: FROM,
  },
  {
    name: 'a year by region',
    target: 10,
    request: table('grain: quarter, groupBy: region'),
    sums: sensorDays('a.country, a.region,', 'GROUP BY 1, 2'),
    from: FROM,
  },
  {
    name: 'total of a year, within a distance',
    target: 40,
    request: graphql('total', NEAR),
    sums: sensorDays('', NEAR_SQL),
    from: FROM,
  },
  {
    name: 'a year by day, within a distance',
    target: 120,
    request: table('grain: day', NEAR),
    sums: sensorDays('d.date,', `${NEAR_SQL} GROUP BY 1`),
    from: FROM,
  },
  {
    name: 'top 10 of a year',
    target: 30,
    request: graphql('top(limit: 10) { impressions share asset { id } }'),
    sums: sensorDays('d.asset,', 'GROUP BY 1 ORDER BY 2 DESC LIMIT 10'),
    from: FROM,
  },
  {
    name: 'a row per asset, of a year',
    target: 30,
    request: rest('impressions/aggregate', '&group_by=asset'),
    sums: sensorDays('d.asset,', 'GROUP BY 1 ORDER BY 2 DESC'),
    from: FROM,
  },
  {
    name: 'impressions/aggregate by day, of a year',
    target: 10,
    request: rest('impressions/aggregate', '&grain=day'),
    sums: sensorDays('d.date,', 'GROUP BY 1'),
    from: FROM,
  },
  {
    name: 'demographics/aggregate of 30 days',
    target: 15,
    request: rest('demographics/aggregate', '', LAST_30_DAYS),
    sums: DEMOGRAPHICS,
    from: LAST_30_DAYS,
  },
  {
    name: 'demographics/aggregate of a year',
    target: 25,
    request: rest('demographics/aggregate', ''),
    sums: DEMOGRAPHICS,
    from: FROM,
  },
]

export async function measureNetwork(cluster: BenchCluster, size: NetworkSize, bench: Bench): Promise<NetworkRow[]> {
  bench.log(`filling networks of ${size.assets} assets`)
  const database = await cluster.create('network')
  try {
    const networks = await fillNetworks(database.ownerUrl, size)
    return await measureQuestions(database, networks, size.repetitions, bench)
  } finally {
    await cluster.drop('network')
  }
}

async function measureQuestions(
  database: Database,
  networks: Networks,
  repetitions: number,
  bench: Bench,
): Promise<NetworkRow[]> {
  const service = await startTarget('service', await targetSettings(database, bench))
  const client = new Client({ connectionString: database.ownerUrl })
  await client.connect()
  const rows: NetworkRow[] = []
  const ask = ({ name, request }: Question, network: NetworkName) =>
    medianTime(repetitions, async () => {
      const { status, body } = await sendRequest(service.port, request(networks[network].key))
      if (status !== 200 || body.includes('"errors"')) throw new Error(`${name}: ${status} ${body.subarray(0, 500)}`)
    })
  try {
    bench.log('network: warming up')
    for (const question of QUESTIONS) await ask(question, 'half')
    for (const question of QUESTIONS) {
      const { name, target, sums, from } = question
      bench.log(`network: ${name}`)
      rows.push({
        question: name,
        target,
        service: await ask(question, 'half'),
        sums: await medianTime(Math.min(repetitions, MAX_SUM_REPETITIONS), () =>
          client.query(sums, [networks.half.company, from, TO]),
        ),
        small: await ask(question, 'small'),
        large: await ask(question, 'large'),
      })
    }
    return rows
  } finally {
    await client.end()
    await service.stop()
  }
}

/** The median of some repetitions, after one that is not measured. */
async function medianTime(repetitions: number, work: () => Promise<unknown>): Promise<number> {
  await work()
  const times: number[] = []
  for (let i = 0; i < repetitions; i++) {
    const started = performance.now()
    await work()
    times.push(performance.now() - started)
  }
  return median(times)
}
