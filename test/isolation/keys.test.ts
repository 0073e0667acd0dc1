/** Keys with several processes of the built service: rotation, deactivation and secrecy. */
import { execFileSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { keyHash } from '../../db/api-keys/key-format'
import { Command } from '../support/command'
import { createDatabase, settingsOf, type TestDatabase } from '../support/databases'
import { send } from '../support/http'
import { type Env, run, runJson } from '../support/in-process'

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

const fetchStatuses = (key: string) => Promise.all(urls.map(async url => (await send(url + META, { key })).status))

const isDeactivated = async (id: string): Promise<boolean> =>
  (await owner.query('SELECT FROM api_keys WHERE id = $1 AND deactivated_at IS NOT NULL', [id])).rowCount === 1

test('after a rotation under load the old key fails and the new one works in every process', async () => {
  const old = await issue()
  const requests: { committed: boolean; status: number }[] = []
  let committed = false
  let enough = 0
  const load = urls.flatMap(url =>
    Array.from({ length: 4 }, async () => {
      while (enough < 200) {
        const started = committed
        const { status } = await send(url + META, { key: old.key })
        requests.push({ committed: started, status })
        if (started) enough++
      }
    }),
  )
  while (requests.length === 0) await sleep(5)
  const rotation = runJson(['keys', 'rotate', old.id], env)
  // Another connection sees the deactivation only after the commit.
  while (!(await isDeactivated(old.id)));
  committed = true
  const { document } = await rotation
  expect(await fetchStatuses(document.key)).toEqual([200, 200])
  await Promise.all(load)
  const before = requests.filter(request => !request.committed).map(({ status }) => status)
  const after = requests.filter(request => request.committed).map(({ status }) => status)
  expect(before).toContain(200)
  expect(new Set(before).size).toBeLessThanOrEqual(2)
  expect(new Set(after)).toEqual(new Set([401]))
})

test('a deactivated key is refused although the caller has the current response', async () => {
  const { id, key } = await issue()
  const { headers } = await send(urls[0] + META, { key })
  const again = { key, headers: { 'If-None-Match': headers.etag as string } }
  for (const url of urls) expect((await send(url + META, again)).status).toBe(304)
  await run(['keys', 'deactivate', id], env)
  for (const url of urls) expect((await send(url + META, again)).status).toBe(401)
})

test('no part of a key is in logs, errors, process lists or the statistics of PostgreSQL', async () => {
  const analyst = ['keys', 'issue', '--all-companies', '--scope', 'internal:graphql:read']
  const issued = [await issue(), (await runJson(analyst, env)).document]
  const seen: string[] = []
  const observe = async () => {
    seen.push(JSON.stringify((await owner.query('SELECT * FROM pg_stat_activity')).rows))
    seen.push(JSON.stringify((await owner.query('SELECT * FROM pg_prepared_statements')).rows))
    seen.push(execFileSync('ps', ['-eo', 'args', '-ww'], { encoding: 'utf8' }))
  }
  const [url] = urls as [string]
  const sendAll = async (key: string) => {
    const bad = encodeURIComponent(`${key}x`)
    const query = JSON.stringify({ query: `query ${key} { nothing }` })
    const responses = await Promise.all([
      send(url + META, { key }),
      send(`${url}/v1/partner/assets?cursor=x`, { key }),
      send(`${url}/v1/partner/nowhere`, { key }),
      send(`${url}/v1/metrics/assets/1?start=x&end=x`, { key }),
      send(`${url}/graphql`, { key, method: 'POST', body: query, headers: { 'Content-Type': 'application/json' } }),
      send(`${url}/graphql?query=${encodeURIComponent('{ meta { version } }')}`, { key }),
      send(`${url}/v1/partner/meta?key=${bad}`, { key: `${key}x` }),
      send(url + META, { key, headers: { 'X-Request-Id': key } }),
      observe(),
    ])
    // The others repeat what the caller has sent.
    for (const response of responses.slice(0, 4)) seen.push(JSON.stringify(response))
  }
  for (const { key } of issued) await sendAll(key)
  // Internal errors log most.
  await owner.query('ALTER TABLE companies RENAME COLUMN name TO other')
  for (const { key } of issued) await sendAll(key)
  await owner.query('ALTER TABLE companies RENAME COLUMN other TO name')
  for (const { id } of issued) {
    const rotation = new Command(['keys', 'rotate', id], env)
    await observe()
    const { code, stderr } = await rotation.ended
    expect(code).toBe(0)
    seen.push(stderr)
  }
  const [service] = services as [Command]
  while (service.stderr.split('internal error').length <= issued.length) await sleep(10)
  seen.push(...services.flatMap(service => [service.stdout, service.stderr]))
  for (const { key } of issued) {
    const hash = keyHash(key)
    const hashes = (['hex', 'base64', 'base64url'] as const).map(form => hash.toString(form).slice(0, 16))
    const secrets = [key.slice(9, 25), key.slice(-16), ...hashes]
    for (const secret of secrets) expect(seen.filter(text => text.includes(secret))).toEqual([])
  }
})
