/** A primary and two replicas, each of which is paused, frozen and killed while the service reads from them. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'
import { keyHash } from '../../db/api-keys/key-format'
import { openPool } from '../../db/postgres/pool'
import { generatePaths, ROUTES } from '../isolation/requests'
import { comparable, namesOf, startWithTenants, TENANTS, type TenantService } from '../isolation/tenants'
import { Factory, type Made } from '../support/factories'
import { send } from '../support/http'
import { run } from '../support/in-process'
import { readAs, World } from '../support/world'
import { Server } from './server'

jest.setTimeout(300_000)

const LAG_MS = 1_000

const META = '/v1/partner/meta'
const CHANGES = '/v1/partner/changes?limit=500'

let primary: Server
let replicas: [Server, Server]
let world: World
let owner: Pool
let make: Factory
let company: Made
let key: string

/** Returns where a service reads and writes. */
const hostsOf = (name = 'metrics') => {
  const on = (url: string) => Object.assign(new URL(url), { pathname: name }).href
  const { ownerUrl, readerUrl } = primary
  return {
    database: { ownerUrl: on(ownerUrl), readerUrl: on(readerUrl), drop: async () => {} },
    readerUrls: [primary, ...replicas].map(({ readerUrl }) => on(readerUrl)),
    maxReplicaLagMs: LAG_MS,
  }
}

beforeAll(async () => {
  primary = await Server.start()
  await run(['migrate'], primary.env)
  await primary.query('CREATE DATABASE complete TEMPLATE metrics', 'CREATE DATABASE reduced TEMPLATE metrics')
  replicas = [await primary.replicate(), await primary.replicate()]
  owner = openPool(primary.ownerUrl)
  make = new Factory(owner, 'production')
  company = await make.company()
  await make.sensor({ asset: await make.asset({ company }) })
  key = await make.key([company])
  world = await World.open({ environment: 'production', ...hostsOf() })
})
afterAll(async () => {
  await world?.stop()
  await owner?.end()
  for (const server of [primary, ...(replicas ?? [])]) await server?.dispose()
})

const fetch = (path: string, as = key) => send(world.url + path, { key: as })

const fetchStatus = async (path: string, as = key): Promise<number> => (await fetch(path, as)).status

/** Has a replica follow the server of a connection; none if it is empty. */
const follow = (replica: Server, conninfo: string) =>
  replica.query(`ALTER SYSTEM SET primary_conninfo = '${conninfo}'`, 'SELECT pg_reload_conf()')

/** Waits until something holds. @throws after half a minute */
async function until(holds: () => unknown): Promise<void> {
  for (const end = Date.now() + 30_000; !(await holds()); await sleep(10))
    if (Date.now() > end) throw new Error(`it never holds: ${holds}`)
}

/** Waits until hosts have roles, such as `primary standby away`. */
const untilRoles = (roles: string, { gateway } = world) =>
  until(() => gateway.database.reports.map(({ role }) => role).join(' ') === roles)

const untilHealthy = (service = world) => untilRoles('primary standby standby', service)

const batchesOf = ({ gateway } = world) => gateway.database.reports.map(({ batches }) => batches)

/** Keeps changing data, and reads with several keys, so that each host is used. Returns the responses. */
async function underLoad<Result>(work: () => Promise<Result>): Promise<{ result: Result; statuses: string[] }> {
  const keys = [key, ...(await Promise.all(Array.from({ length: 5 }, () => make.key([company]))))]
  // A key that no replica has is unknown while the primary is away.
  const replayed = 'SELECT count(*) = 2 AS by_all FROM pg_stat_replication WHERE replay_lsn >= $1'
  const { lsn } = (await owner.query('SELECT pg_current_wal_lsn() AS lsn')).rows[0]
  await until(async () => (await owner.query(replayed, [lsn])).rows[0].by_all)
  const statuses: string[] = []
  let running = true
  const loops = keys.map(async each => {
    while (running) {
      for (const path of [META, '/v1/partner/sensors', CHANGES]) {
        const { status, body } = await fetch(path, each)
        statuses.push(`${path.split('?')[0]} ${status}`)
        if (status === 500) throw new Error(JSON.stringify(body))
      }
    }
  })
  try {
    const result = await work()
    return { result, statuses: [...new Set(statuses)].sort() }
  } finally {
    running = false
    await Promise.all(loops)
  }
}

const ALL_SUCCEED = ['/v1/partner/changes 200', '/v1/partner/meta 200', '/v1/partner/sensors 200']

/** Revokes a key, and returns how long it was accepted afterwards. */
async function acceptedFor(revoked: string): Promise<number> {
  await owner.query('UPDATE api_keys SET deactivated_at = now() WHERE hash = $1', [keyHash(revoked)])
  const committed = performance.now()
  let accepted = 0
  // A request that starts within the lag may still be accepted.
  for (let refused = 0; refused < 20; ) {
    const started = performance.now() - committed
    if ((await fetchStatus(META, revoked)) === 401) refused++
    else accepted = started
  }
  return accepted
}

test('reads run on the replicas, and the feed of changes on the primary', async () => {
  await untilHealthy()
  const before = batchesOf()
  for (let i = 0; i < 10; i++) expect(await fetchStatus(META, await make.key([company]))).toBe(200)
  const keys = await Promise.all(Array.from({ length: 20 }, () => make.key([company])))
  const isUsed = (host: number) => (batchesOf()[host] as number) > (before[host] as number)
  while (!isUsed(1) || !isUsed(2)) await Promise.all(keys.map(each => fetchStatus(META, each)))
  const [batches = 0] = batchesOf()
  expect(await fetchStatus(CHANGES)).toBe(200)
  expect(batchesOf()[0]).toBe(batches + 1)
})

test('no request gets data of other companies from a replica', async () => {
  const complete = await startWithTenants(TENANTS, [['Alder']], hostsOf('complete'))
  const reduced = await startWithTenants(['Alder'], [['Alder']], hostsOf('reduced'))
  try {
    for (const { service } of [complete, reduced]) await untilHealthy(service)
    const before = batchesOf(complete.service)
    for (const path of ROUTES.flatMap(route => TENANTS.flatMap(name => generatePaths(route, [namesOf(name)])))) {
      const read = async ({ service, keys }: TenantService) =>
        comparable(await send(service.url + path, { key: keys.get('Alder') as string }))
      expect([path, await read(complete)]).toEqual([path, await read(reduced)])
    }
    const [, ...more] = batchesOf(complete.service).map((batches, host) => batches - (before[host] as number))
    expect(Math.max(...more)).toBeGreaterThan(500)
  } finally {
    for (const { service } of [complete, reduced]) await service.stop()
  }
})

test('while replay is paused on a replica, everything is answered, and old and new keys are treated rightly', async () => {
  for (const replica of replicas) {
    await untilHealthy()
    const old = await make.key([company])
    const { result, statuses } = await underLoad(async () => {
      await replica.query('SELECT pg_wal_replay_pause()')
      const fresh = await make.key([company])
      expect(await fetchStatus(META, fresh)).toBe(200)
      await make.sensor({ asset: await make.asset({ company }) })
      return acceptedFor(old)
    }).finally(() => replica.query('SELECT pg_wal_replay_resume()'))
    expect(result).toBeLessThan(LAG_MS)
    expect(statuses).toEqual(ALL_SUCCEED)
  }
})

test('a change is listed only when no host serves the state before it', async () => {
  await untilHealthy()
  const { id: asset } = await make.asset({ company, name: 'before' })
  let { cursor } = (await fetch(CHANGES)).body.pagination
  const keys = await Promise.all(Array.from({ length: 8 }, () => make.key([company])))
  for (let i = 0; i < 10; i++) {
    if (i === 5) await replicas[0].query('SELECT pg_wal_replay_pause()')
    await owner.query('UPDATE assets SET name = $2 WHERE id = $1', [asset, `name ${i}`])
    const { data, pagination } = (await fetch(`${CHANGES}&cursor=${cursor}`)).body
    cursor = pagination.cursor
    expect(data).toMatchObject([{ asset_id: asset, kind: 'asset' }])
    for (const each of keys) {
      expect((await fetch(`/v1/partner/assets/${asset}`, each)).body).toMatchObject({ name: `name ${i}` })
    }
  }
  await replicas[0].query('SELECT pg_wal_replay_resume()')
})

test.each([
  ['frozen', 0],
  ['killed', 1],
] as const)('while a replica is %s (%i), everything is answered, and a revoked key is refused', async (how, which) => {
  await untilHealthy()
  const replica = replicas[which]
  const old = await make.key([company])
  const { result, statuses } = await underLoad(async () => {
    if (how === 'frozen') replica.pause()
    else replica.kill()
    expect(await fetchStatus(META, await make.key([company]))).toBe(200)
    return acceptedFor(old)
  }).finally(() => (how === 'frozen' ? replica.resume() : replica.restart()))
  await untilHealthy()
  expect(result).toBeLessThan(LAG_MS)
  expect(statuses).toEqual(ALL_SUCCEED)
})

test.each(['frozen', 'killed'])(
  'while the primary is %s, all but the feed is answered, and no list is repeated',
  async how => {
    await untilHealthy()
    const { cursor } = (await fetch(CHANGES)).body.pagination
    while ((await fetch('/readyz')).text !== 'ready');
    const { statuses } = await underLoad(async () => {
      if (how === 'frozen') primary.pause()
      else primary.kill()
      while ((await fetchStatus(CHANGES)) !== 503);
      const refused = await fetch(CHANGES)
      expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1'])
      await sleep(LAG_MS * 2)
      const ready = await fetch('/readyz')
      expect([ready.status, ready.text]).toEqual([200, 'ready, but the primary database does not answer'])
    }).finally(() => (how === 'frozen' ? primary.resume() : primary.restart()))
    await untilHealthy()
    const [feed, ...others] = ALL_SUCCEED
    expect(statuses.filter(status => status !== feed)).toEqual(['/v1/partner/changes 503', ...others])
    expect((await fetch(`${CHANGES}&cursor=${cursor}`)).body.data).toEqual([])
  },
)

test('a read that conflicts with replay is repeated elsewhere', async () => {
  await untilHealthy()
  for (const replica of replicas) {
    await replica.query('ALTER SYSTEM SET max_standby_streaming_delay = 0', 'SELECT pg_reload_conf()')
  }
  const readConflicts = async () => {
    const query = `SELECT sum(value::integer) AS conflicts
      FROM pg_stat_database_conflicts c, json_each_text(to_json(c)) WHERE key LIKE 'confl\\_%'`
    const counts = await Promise.all(replicas.map(replica => replica.query(query)))
    return counts.reduce((sum, [row]) => sum + Number(row?.conflicts), 0)
  }
  const before = await readConflicts()
  const slow = { name: 'slow', text: 'SELECT count(*), pg_sleep(3)::text FROM companies' }
  const read = readAs(world.gateway, keyHash(key), reader => reader.read(slow))
  const isRead = `SELECT FROM pg_stat_activity WHERE state = 'active' AND query = '${slow.text}'`
  await until(async () => (await Promise.all(replicas.map(replica => replica.query(isRead)))).flat().length > 0)
  await primary.query('BEGIN', 'LOCK TABLE companies IN ACCESS EXCLUSIVE MODE', 'COMMIT')
  expect(await read).toHaveLength(1)
  await until(async () => (await readConflicts()) > before)
  for (const replica of replicas) {
    await replica.query('ALTER SYSTEM RESET max_standby_streaming_delay', 'SELECT pg_reload_conf()')
  }
})

test('after a failover that lost transactions, only cursors of what was lost are refused', async () => {
  await untilHealthy()
  const [promoted, other] = replicas
  const { cursor: before } = (await fetch(CHANGES)).body.pagination
  // Neither replica gets the last transaction.
  for (const replica of replicas) await follow(replica, '')
  await until(async () => (await primary.query('SELECT FROM pg_stat_replication')).length === 0)
  await make.asset({ company })
  const { data, pagination } = (await fetch(`${CHANGES}&cursor=${before}`)).body
  expect(data).toHaveLength(1)
  const lost = pagination.cursor
  primary.kill()
  await promoted.query('SELECT pg_promote()')
  await follow(other, promoted.conninfo)
  const seen = new Set<number>()
  for (let succeeded = 0; succeeded < 20; ) {
    const status = await fetchStatus(`${CHANGES}&cursor=${before}`)
    seen.add(status)
    if (status === 200) succeeded++
  }
  expect([...seen].filter(status => status !== 503)).toEqual([200])
  expect(await fetchStatus(META)).toBe(200)
  const refused = await fetch(`${CHANGES}&cursor=${lost}`)
  expect([refused.status, refused.body.error.code]).toEqual([410, 'RESYNC_REQUIRED'])
  await untilRoles('away primary standby')
})
