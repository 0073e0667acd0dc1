/** The built service while its primary is away, and after a failover. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Command, run, runJson } from '../support/command'
import { send } from '../support/http'
import { Server } from './server'

jest.setTimeout(120_000)

const META = '/v1/partner/meta'
const CHANGES = '/v1/partner/changes'

/** The longest that a revoked key lives, by default. */
const MAX_REPLICA_LAG_MS = 1_000

let primary: Server
let replica: Server
let key: string

beforeAll(async () => {
  primary = await Server.start()
  await run(['migrate'], primary.env)
  key = (await runJson(['keys', 'issue', '--no-company'], primary.env)).document.key
  replica = await primary.replicate('hot_standby_feedback = off', 'max_standby_streaming_delay = 30s')
})

const untilReady = async (): Promise<void> => {
  while ((await run(['status'], primary.envWith(replica))).code !== 0);
}

const serve = (): Command =>
  new Command(['serve'], { ...primary.envWith(replica), LOG_LEVEL: 'error', RATE_LIMIT: '1000000' })

/** Issues a key that ends after some milliseconds. */
async function issueEnding(ms: number): Promise<{ key: string; end: number }> {
  const end = Date.now() + ms
  const args = ['keys', 'issue', '--no-company', '--expires', new Date(end).toISOString()]
  // It returns when the replica has the key.
  return { key: (await runJson(args, primary.envWith(replica))).document.key, end }
}

/** Checks that a key works until its end, and no longer. */
async function expectEnd(url: string, { key, end }: { key: string; end: number }): Promise<void> {
  for (let status = 200; status === 200; ) {
    const began = Date.now()
    status = (await send(url + META, { key })).status
    if (status === 200) expect(began).toBeLessThanOrEqual(end)
    else expect([status, Date.now() >= end]).toEqual([401, true])
    // Below the rate of a key.
    await sleep(20)
  }
}

afterAll(async () => {
  await primary?.dispose()
  await replica?.dispose()
})

test('while the primary is away, ended keys are refused, and legacy calls are kept until it is back', async () => {
  const service = serve()
  const url = await service.url()
  await untilReady()
  const ending = await issueEnding(4_000)
  const call = () => send(`${url}/v1/metrics/assets`, { key })
  await call()
  primary.kill()
  await call()
  while ((await send(url + CHANGES, { key })).status !== 503);
  expect((await send(url + META, { key })).status).toBe(200)
  while ((await send(`${url}/readyz`)).text === 'ready');
  expect((await send(`${url}/readyz`)).text).toBe('ready, but the primary database does not answer')
  await expectEnd(url, ending)
  await primary.restart()
  while ((await send(url + CHANGES, { key })).status === 503);
  expect((await send(url + CHANGES, { key })).status).toBe(200)
  expect((await send(`${url}/readyz`)).text).toBe('ready')
  await untilReady()
  const counted = async () => (await primary.query('SELECT sum(calls)::integer AS calls FROM legacy_calls'))[0]?.calls
  while ((await counted()) !== 2) await sleep(50)
  const env = primary.envWith(replica)
  for (const command of ['rotate', 'deactivate']) {
    const { document: revoked } = await runJson(['keys', 'issue', '--no-company'], env)
    expect((await send(url + META, { key: revoked.key })).status).toBe(200)
    expect(await run(['keys', command, revoked.id], env)).toMatchObject({ code: 0, stderr: '' })
    await sleep(MAX_REPLICA_LAG_MS)
    expect((await send(url + META, { key: revoked.key })).status).toBe(401)
  }
  expect((await service.end('SIGTERM')).code).toBe(0)
})

test('the service starts before a replica has replayed the grants of its login', async () => {
  const until = async (condition: string) => {
    while (!(await replica.query(`SELECT ${condition} AS met`))[0]?.met);
  }
  await primary.query('REVOKE SELECT ON companies FROM reader')
  await until(`NOT has_table_privilege('reader', 'companies', 'SELECT')`)
  await replica.query('SELECT pg_wal_replay_pause()')
  await until(`pg_get_wal_replay_pause_state() = 'paused'`)
  await run(['migrate'], primary.env)
  const service = serve()
  await service.url()
  expect((await service.end('SIGTERM')).code).toBe(0)
  await replica.query('SELECT pg_wal_replay_resume()')
})

test('commands refuse a replica, and after a failover the service follows the new primary', async () => {
  const service = serve()
  const url = await service.url()
  await untilReady()
  const refused = await runJson(['keys', 'issue', '--no-company'], replica.envWith(primary))
  expect(refused).toMatchObject({ code: 1, document: { error: { code: 'DATABASE_READ_ONLY' } } })
  const started = await run(['serve'], replica.envWith(primary))
  expect(started).toMatchObject({ code: 1, stderr: expect.stringContaining('error: the database is read-only') })
  primary.kill()
  await replica.query('SELECT pg_promote()')
  while ((await send(url + CHANGES, { key })).status !== 200);
  const { document: issued } = await runJson(['keys', 'issue', '--no-company'], replica.envWith(primary))
  expect((await send(url + META, { key: issued.key })).status).toBe(200)
  expect((await service.end('SIGTERM')).code).toBe(0)
})
