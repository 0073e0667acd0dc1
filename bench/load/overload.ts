/** Prints how attacks affect the response times of partners, and how a partner affects the throughput of an analyst. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { issueKey } from '../../db/api-keys/api-keys'
import type { BenchData } from '../data/fill'
import { COMPANIES, ENVIRONMENT, idOf, READER } from '../data/population'
import { type BenchRoute, listRoutes } from '../data/routes'
import { type Bench, targetSettings } from '../measure/comparison'
import { aligned, short, whole } from '../report/table'
import type { Database } from '../servers/bench-cluster'
import { findChildren, residentMemory } from '../servers/processes'
import { startTarget, type Target } from '../servers/targets'
import type { AttackOrder } from './attacker'
import { ATTACKS, type AttackName, type AttackTarget, type Statuses } from './attacks'
import type { PartnerFigures, PartnerOrder } from './partners'

const PARTNERS = 4
const PAUSE_MS = 25

/** In seconds. */
export interface OverloadTiming {
  warmUp: number
  calm: number
  attack: number
}

/** The limits of production, in contrast to the other benchmarks. */
const LIMITS = { MAX_IN_FLIGHT: '256', MAX_EVENT_LOOP_DELAY_MS: '1000' }

/** The attacker and the partners have different addresses where the system allows it: on Linux 127/8 is the loopback device. */
const ATTACKER_ADDRESS = process.platform === 'linux' ? '127.0.0.2' : '127.0.0.1'

/** The number of parallel queries of the analyst. */
const QUERIES = 4

export async function overload(
  database: Database,
  data: BenchData,
  timing: OverloadTiming,
  bench: Bench,
): Promise<void> {
  const routes = listRoutes(data)
  const keys = await issueKeys(database, PARTNERS)
  const settings = await targetSettings(database, { cpus: undefined })
  const service = await startTarget('service', { ...settings, env: { ...LIMITS, WORKERS: 'auto' } })
  try {
    const rows = []
    for (const name of Object.keys(ATTACKS) as AttackName[]) {
      bench.log(`attack: ${name}`)
      rows.push(await attack(name, service, data.key, keys, routes, timing))
    }
    console.log(aligned(['attack', 'p50', 'attacked', 'p99', 'attacked', 'MB', 'partners', 'attacker'], rows))
  } finally {
    await service.stop()
  }
  const single = await startTarget('service', { ...settings, env: LIMITS })
  try {
    bench.log('an analyst beside a partner')
    console.log(`\n${await analyst(single, keys.slice(0, 1), routes, timing, bench)}`)
  } finally {
    await single.stop()
  }
}

/**
 * A row of the table: milliseconds without and with the attack, memory of the largest process, and the statuses of all
 * responses during the attack.
 */
async function attack(
  name: AttackName,
  { port, pid }: Target,
  key: string,
  keys: string[],
  routes: BenchRoute[],
  { warmUp, calm: calmSeconds, attack: seconds }: OverloadTiming,
): Promise<string[]> {
  const url = `http://127.0.0.1:${port}`
  const partners = startPartners({
    url,
    keys,
    paths: [pathOf(routes, 'meta'), pathOf(routes, 'daily 30')],
    pauseMs: PAUSE_MS,
  })
  const attacker = fork(join(__dirname, 'attacker.js'), { detached: true })
  try {
    await sleep(warmUp * 1000)
    const calm = await measure(partners, sleep(calmSeconds * 1000))
    const target: AttackTarget = { url, key, path: pathOf(routes, 'minute 7 days'), localAddress: ATTACKER_ADDRESS }
    attacker.send({ name, target, milliseconds: seconds * 1000 } satisfies AttackOrder)
    const ended = once(attacker, 'message')
    const attacked = await measure(partners, sleep(seconds * 1000))
    const [statuses] = (await ended) as [Statuses]
    const times = [calm.p50, attacked.p50, calm.p99, attacked.p99].map(ms => short(ms) ?? '')
    const memory = Math.max(...[pid, ...findChildren(pid)].map(residentMemory))
    return [name, ...times, whole(memory), format(attacked.statuses), format(statuses)]
  } finally {
    partners.kill()
    attacker.kill()
  }
}

/**
 * The responses per second to parallel queries, alone and beside a partner, and the partner's response times without and
 * with the queries.
 */
async function analyst(
  { port }: Target,
  keys: string[],
  routes: BenchRoute[],
  { warmUp, calm: calmSeconds, attack: seconds }: OverloadTiming,
  { load }: Bench,
): Promise<string> {
  const requests = routes.find(({ name }) => name === 'GraphQL, 50 assets')?.requests ?? []
  const rate = async () => {
    const figures = await load.run(
      { port, connections: QUERIES, seconds, warmUp: Math.min(1, warmUp), requests },
      () => {},
    )
    return (figures.statuses['200'] ?? 0) / figures.seconds
  }
  const alone = await rate()
  const url = `http://127.0.0.1:${port}`
  const partner = startPartners({ url, keys, paths: [pathOf(routes, 'meta')], pauseMs: PAUSE_MS })
  try {
    await sleep(warmUp * 1000)
    const calm = await measure(partner, sleep(calmSeconds * 1000))
    const queries = rate()
    const busy = await measure(partner, queries)
    const beside = await queries
    const share = short((beside / alone) * 100, 2)
    return [
      `${QUERIES} parallel queries: ${short(alone)} responses per second alone, ${short(beside)} (${share} %) beside a partner`,
      `the partner: p50 ${short(calm.p50)} ms and p99 ${short(calm.p99)} ms alone, ${short(busy.p50)} ms and ${short(busy.p99)} ms beside the queries`,
    ].join('\n')
  } finally {
    partner.kill()
  }
}

function startPartners(order: PartnerOrder): ChildProcess {
  const partners = fork(join(__dirname, 'partners.js'))
  partners.send(order)
  return partners
}

async function measure(partners: ChildProcess, period: Promise<unknown>): Promise<PartnerFigures> {
  partners.send('start')
  await period
  partners.send('end')
  const [figures] = await once(partners, 'message')
  return figures as PartnerFigures
}

const format = (statuses: Record<string, number>): string =>
  Object.entries(statuses)
    .map(([status, count]) => `${status}: ${count}`)
    .join(', ')

/** The path of the first request of a route. */
function pathOf(routes: BenchRoute[], name: string): string {
  const [, path] = /^GET (\S+)/.exec(routes.find(route => route.name === name)?.requests[0] ?? '') ?? []
  if (!path) throw new Error(`there is no route ${name}`)
  return path
}

async function issueKeys({ ownerUrl }: Database, number: number): Promise<string[]> {
  const client = new Client({ connectionString: ownerUrl })
  await client.connect()
  try {
    const companies = [idOf(COMPANIES[READER - 1] as string)]
    const keys = []
    for (let i = 0; i < number; i++) {
      const grant = { companies, scopes: [], reseller: false, label: `partner ${i}`, rate: null }
      keys.push((await issueKey(client, ENVIRONMENT, grant)).key)
    }
    return keys
  } finally {
    await client.end()
  }
}
