/** Keys over several processes of the built service: rotated under load, killed midway, and never told to anybody. */
import { execFileSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { Client } from 'pg'
import { keyHash } from '../../db/api-keys/key-format'
import { Command, type Env, run, runJson } from '../support/command'
import { createDatabase, settingsOf, type TestDatabase } from '../support/databases'
import { Service, send, watchTraffic } from '../support/service'

jest.setTimeout(120_000)

const META = '/v1/partner/meta'

let database: TestDatabase
let owner: Client
let env: Env
let services: Command[]
let urls: string[]

beforeAll(async () => {
  database = await createDatabase()
  owner = new Client({ connectionString: database.ownerUrl })
  await owner.connect()
  env = { ...settingsOf(database), METRICS_ENV: 'dev', LOG_LEVEL: 'trace', RATE_LIMIT: '1000000' }
  services = [new Command(['serve'], env), new Command(['serve'], env)]
  urls = await Promise.all(services.map(service => service.url()))
})
afterAll(async () => {
  await Promise.all(services.map(service => service.end('SIGTERM')))
  await owner.end()
  await database.drop()
})

const issue = async (): Promise<{ id: string; key: string }> =>
  (await runJson(['keys', 'issue', '--no-company'], env)).document

const statusesOf = (key: string) => Promise.all(urls.map(async url => (await send(url + META, { key })).status))

const isDeactivated = async (id: string): Promise<boolean> =>
  (await owner.query('SELECT FROM api_keys WHERE id = $1 AND deactivated_at IS NOT NULL', [id])).rowCount === 1

test('once a rotation under load is committed, the old key fails and the new one works, in every process', async () => {
  const old = await issue()
  const asked: { committed: boolean; status: number }[] = []
  let committed = false
  let enough = 0
  const load = urls.flatMap(url =>
    Array.from({ length: 4 }, async () => {
      while (enough < 200) {
        const started = committed
        const { status } = await send(url + META, { key: old.key })
        asked.push({ committed: started, status })
        if (started) enough++
      }
    }),
  )
  const rotation = runJson(['keys', 'rotate', old.id], env)
  // Whoever sees the row deactivated knows that it is committed.
  while (!(await isDeactivated(old.id)));
  committed = true
  const { document } = await rotation
  expect(await statusesOf(document.key)).toEqual([200, 200])
  await Promise.all(load)
  const before = asked.filter(request => !request.committed).map(({ status }) => status)
  const after = asked.filter(request => request.committed).map(({ status }) => status)
  expect(before).toContain(200)
  expect(new Set(before).size).toBeLessThanOrEqual(2)
  expect(new Set(after)).toEqual(new Set([401]))
})

test('of two rotations at once one succeeds, and one key is active', async () => {
  const old = await issue()
  const ended = await Promise.all([1, 2].map(() => runJson(['keys', 'rotate', old.id], env)))
  expect(ended.map(({ code }) => code).sort()).toEqual([0, 1])
  const { rows } = await owner.query('SELECT id FROM api_keys WHERE replaces = $1 AND deactivated_at IS NULL', [old.id])
  expect(rows).toEqual([{ id: ended.find(({ code }) => code === 0)?.document.id }])
  expect(await statusesOf(old.key)).toEqual([401, 401])
})

test('a rotation that is killed midway leaves the old key as it was', async () => {
  const old = await issue()
  await owner.query('BEGIN; LOCK TABLE companies')
  const rotating = new Command(['keys', 'rotate', old.id], env)
  const waiting = `SELECT FROM pg_locks WHERE relation = 'companies'::regclass AND NOT granted`
  // By then the old key is deactivated, in a transaction that is not committed.
  while ((await owner.query(waiting)).rowCount === 0) await sleep(10)
  expect((await rotating.end('SIGKILL')).stdout).toBe('')
  await owner.query('COMMIT')
  while (
    (await owner.query(`SELECT FROM pg_stat_activity WHERE query LIKE '%INTO api_keys%' AND pid <> pg_backend_pid()`))
      .rowCount
  )
    await sleep(10)
  expect(await statusesOf(old.key)).toEqual([200, 200])
  expect((await owner.query('SELECT FROM api_keys WHERE replaces = $1', [old.id])).rowCount).toBe(0)
  expect((await runJson(['keys', 'rotate', old.id], env)).code).toBe(0)
})

test('a deactivated key is refused though the caller holds the answer already', async () => {
  const { id, key } = await issue()
  const { headers } = await send(urls[0] + META, { key })
  const again = { key, headers: { 'If-None-Match': headers.etag as string } }
  for (const url of urls) expect((await send(url + META, again)).status).toBe(304)
  await run(['keys', 'deactivate', id], env)
  for (const url of urls) expect((await send(url + META, again)).status).toBe(401)
})

test('a cursor that one process issued is good in the other', async () => {
  await owner.query(`INSERT INTO companies (id, name) VALUES ('company1', 'Alder')`)
  await owner.query(
    `INSERT INTO assets (id, company, name, media_type, format, status, indoors, latitude, longitude, country, time_zone)
     SELECT 'assetnumber' || n, number, 'A', 'digital', 'other', 'active', false, 0, 0, 'DE', 'UTC'
     FROM companies, generate_series(1, 3) AS n`,
  )
  const { document } = await runJson(['keys', 'issue', '--company', 'Alder'], env)
  const first = await send(`${urls[0]}/v1/partner/assets?limit=1`, { key: document.key })
  const cursor = first.body.pagination.cursor
  const second = await send(`${urls[1]}/v1/partner/assets?limit=1&cursor=${cursor}`, { key: document.key })
  expect([second.status, second.body.data[0].id]).toEqual([200, 'assetnumber2'])
})

test('any change of one character is refused without a query', async () => {
  const service = await Service.start()
  try {
    const key = await service.make.key([])
    const place = fc.nat({ max: key.length - 1 })
    const character = fc.integer({ min: 0x21, max: 0x7e }).map(code => String.fromCharCode(code))
    const changed = fc.oneof(
      fc.tuple(place, character).map(([i, other]) => key.slice(0, i) + other + key.slice(i + 1)),
      fc.tuple(place, character).map(([i, more]) => key.slice(0, i) + more + key.slice(i)),
      fc.tuple(place, fc.constant('')).map(([i]) => key.slice(0, i) + key.slice(i + 1)),
      fc.nat({ max: key.length - 2 }).map(i => key.slice(0, i) + key[i + 1] + key[i] + key.slice(i + 2)),
    )
    const { statements } = await watchTraffic(() =>
      fc.assert(
        fc.asyncProperty(changed, async other => {
          fc.pre(other !== key)
          const { status, body } = await service.get(META, { key: other })
          expect([status, body.error.code]).toEqual([401, 'INVALID_API_KEY'])
        }),
        { numRuns: 500 },
      ),
    )
    expect(statements).toEqual([])
  } finally {
    await service.stop()
  }
})

test('nothing of a key is in logs, errors, lists of processes or what PostgreSQL tells of its sessions', async () => {
  const analyst = ['keys', 'issue', '--all-companies', '--scope', 'internal:graphql:read']
  const issued = [await issue(), (await runJson(analyst, env)).document]
  const told: string[] = []
  const look = async () => {
    told.push(JSON.stringify((await owner.query('SELECT * FROM pg_stat_activity')).rows))
    told.push(JSON.stringify((await owner.query('SELECT * FROM pg_prepared_statements')).rows))
    told.push(execFileSync('ps', ['-eo', 'args', '-ww'], { encoding: 'utf8' }))
  }
  const [url] = urls as [string]
  const ask = async (key: string) => {
    const bad = encodeURIComponent(`${key}x`)
    const query = JSON.stringify({ query: `query ${key} { nothing }` })
    const answers = await Promise.all([
      send(url + META, { key }),
      send(`${url}/v1/partner/assets?cursor=x`, { key }),
      send(`${url}/v1/partner/nowhere`, { key }),
      send(`${url}/v1/metrics/assets/1?start=x&end=x`, { key }),
      send(`${url}/graphql`, { key, method: 'POST', body: query, headers: { 'Content-Type': 'application/json' } }),
      send(`${url}/graphql?query=${encodeURIComponent('{ meta { version } }')}`, { key }),
      send(`${url}/v1/partner/meta?key=${bad}`, { key: `${key}x` }),
      send(url + META, { key, headers: { 'X-Request-Id': key } }),
      look(),
    ])
    // What a caller puts into a header of its own comes back to it alone.
    for (const answer of answers.slice(0, 4)) told.push(JSON.stringify(answer))
  }
  for (const { key } of issued) await ask(key)
  // Faults of ours tell the log the most.
  await owner.query('ALTER TABLE companies RENAME COLUMN name TO other')
  for (const { key } of issued) await ask(key)
  await owner.query('ALTER TABLE companies RENAME COLUMN other TO name')
  for (const { id } of issued) {
    const rotation = new Command(['keys', 'rotate', id], env)
    await look()
    const { code, stderr } = await rotation.ended
    expect(code).toBe(0)
    told.push(stderr)
  }
  await sleep(100)
  told.push(...services.flatMap(service => [service.stdout, service.stderr]))
  expect(told.join()).toContain('internal error')
  for (const { key } of issued) {
    const hash = keyHash(key)
    const secrets = [
      key.slice(9, 25),
      key.slice(-16),
      ...(['hex', 'base64', 'base64url'] as const).map(form => hash.toString(form).slice(0, 16)),
    ]
    for (const secret of secrets) expect(told.filter(text => text.includes(secret))).toEqual([])
  }
})
