/** The built service while the primary is away, and after a failover. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Command, type Env, run, runJson } from '../support/command'
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
  // Each start of the service adds health checks to a demo.
  await primary.query('UPDATE service SET demo_loaded_at = now()')
  replica = await primary.replicate('hot_standby_feedback = off', 'max_standby_streaming_delay = 30s')
})

const untilReady = async (): Promise<void> => {
  while ((await run(['status'], primary.envWith(replica))).code !== 0);
}

const serve = (env: Env = {}): Command =>
  new Command(['serve'], { ...primary.envWith(replica), LOG_LEVEL: 'error', RATE_LIMIT: '1000000', ...env })

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

test('serve starts with replicas alone, refuses ended keys, and serves the feed and registers once the primary is back', async () => {
  const ending = await issueEnding(4_000)
  primary.kill()
  const service = serve()
  const url = await service.url()
  expect((await send(url + META, { key })).status).toBe(200)
  expect((await send(url + CHANGES, { key })).status).toBe(503)
  expect((await send(`${url}/readyz`)).text).toBe('ready, but the primary database does not answer')
  expect(service.stderr).toContain("the primary does not answer: the demo's sensors get no new health checks")
  await expectEnd(url, ending)
  await primary.restart()
  while ((await send(url + CHANGES, { key })).status === 503);
  expect((await send(url + CHANGES, { key })).status).toBe(200)
  expect((await send(`${url}/readyz`)).text).toBe('ready')
  await untilReady()
  // It has not known the primary before, but refuses what is revoked there.
  const env = primary.envWith(replica)
  for (const command of ['rotate', 'deactivate']) {
    const { document: revoked } = await runJson(['keys', 'issue', '--no-company'], env)
    expect((await send(url + META, { key: revoked.key })).status).toBe(200)
    expect(await run(['keys', command, revoked.id], env)).toMatchObject({ code: 0, stderr: '' })
    await sleep(MAX_REPLICA_LAG_MS)
    expect((await send(url + META, { key: revoked.key })).status).toBe(401)
  }
  await expectEnd(url, await issueEnding(1_000))
  expect((await service.end('SIGTERM')).code).toBe(0)
})

test('with WITHOUT_PRIMARY=stop, requests get 503 until the primary answers', async () => {
  const service = serve({ WITHOUT_PRIMARY: 'stop' })
  const url = await service.url()
  expect((await send(url + META, { key })).status).toBe(200)
  primary.kill()
  while ((await send(url + META, { key })).status === 200);
  expect((await send(url + META, { key })).status).toBe(503)
  expect((await send(`${url}/readyz`)).status).toBe(503)
  await primary.restart()
  while ((await send(url + META, { key })).status === 503);
  expect((await send(url + META, { key })).status).toBe(200)
  expect((await service.end('SIGTERM')).code).toBe(0)
})

test('after a failover every legacy call is counted, the service is registered, and commands find the new primary', async () => {
  const service = serve()
  const url = await service.url()
  await untilReady()
  // A call counts whatever its status.
  let calls = 0
  const call = async (times: number): Promise<void> => {
    for (; times > 0; times--, calls++) await send(`${url}/v1/metrics/assets`, { key })
  }
  await call(3)
  primary.kill()
  await call(4)
  await replica.query('SELECT pg_promote()')
  while ((await send(url + CHANGES, { key })).status !== 200);
  await call(5)
  const counted = async () => (await replica.query('SELECT sum(calls)::integer AS calls FROM legacy_calls'))[0]?.calls
  while ((await counted()) !== calls) await sleep(50)
  // A second write would come with the next ones.
  await call(1)
  while ((await counted()) !== calls) await sleep(50)
  await untilReady()
  const registrations = () => replica.query(`SELECT FROM service_processes WHERE url = '${url}'`)
  expect(await registrations()).toHaveLength(1)
  const { document: issued } = await runJson(['keys', 'issue', '--no-company'], primary.envWith(replica))
  expect((await send(url + META, { key: issued.key })).status).toBe(200)
  expect((await service.end('SIGTERM')).code).toBe(0)
  expect(await registrations()).toEqual([])
})
