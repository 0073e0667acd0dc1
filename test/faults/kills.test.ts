/** Kills processes at random moments, while commands change the database. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Command, DataDir, type Env, runJson } from '../support/command'
import { send } from '../support/http'
import { rounds } from '../support/rounds'
import { Random } from '../world/random'

const DURATION_MS = rounds(15_000, 300_000)

jest.setTimeout(DURATION_MS + 180_000)

/** The longest time until the service responds again, with time for a busy machine. Usually it is below 10 s. */
const MAX_RECOVERY_MS = 20_000

const ROWS = 3_000

const VICTIMS = ['service', 'postmaster', 'command', 'postmaster and command'] as const

let dir: DataDir
let env: Env
let service: Command
let url: string
let key: { id: string; key: string }
let files = 0

beforeAll(async () => {
  dir = await DataDir.migrated()
  env = { DATA_DIR: dir.path, LOG_LEVEL: 'error', RATE_LIMIT: '1000000' }
  key = (await runJson(['keys', 'issue', '--no-company'], env)).document
})
afterAll(() => dir.dispose())

/** In the long tests, others each time. */
const random = new Random(rounds(1, Date.now()))

const start = async (): Promise<void> => {
  service = new Command(['serve'], env)
  url = await service.url()
}

/** Returns the status of a request on a connection of its own; 0 without a response. */
const fetchStatus = (path: string, presented: string): Promise<number> =>
  fetch(url + path, {
    headers: { 'X-API-Key': presented, Connection: 'close' },
    signal: AbortSignal.timeout(2_000),
  }).then(
    ({ status }) => status,
    () => 0,
  )

/** Waits until the service responds. @returns the waiting time in milliseconds */
async function recovery(): Promise<number> {
  const began = performance.now()
  for (const path of ['/readyz', '/healthz'])
    while ((await fetchStatus(path, '')) !== 200) {
      if (performance.now() - began > 60_000) throw new Error(`${path} did not respond 200 within a minute`)
      await sleep(20)
    }
  return performance.now() - began
}

const kill = (pid: number | undefined): void => {
  try {
    if (pid) process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended already.
  }
}

/** Kills a victim. A killed service is started again, as a supervisor of processes would. */
async function killOne(victim: (typeof VICTIMS)[number], command: Command): Promise<void> {
  if (victim.includes('command')) kill(command.pid)
  if (victim.includes('postmaster') && dir.postmaster()) await dir.untilRestarted(dir.killPostmaster())
  if (victim === 'service') {
    await service.end('SIGKILL')
    await start()
  }
}

/** Returns a file with new companies. */
function companiesFile(): string {
  const file = join(dir.parent, `companies-${++files}.csv`)
  const rows = Array.from({ length: ROWS }, (_, i) => `company${files}x${i},Company ${files} ${i}\n`)
  writeFileSync(file, `id,name\n${rows.join('')}`)
  return file
}

/** Runs a command and kills a victim meanwhile. @returns the output of the command */
async function killDuring(args: string[]): Promise<string> {
  const command = new Command([...args, '--json'], env)
  await sleep(random.below(1_500))
  await killOne(random.pick(VICTIMS), command)
  return (await command.ended).stdout
}

async function rotate(): Promise<void> {
  const output = await killDuring(['keys', 'rotate', key.id])
  expect(await recovery()).toBeLessThan(MAX_RECOVERY_MS)
  const { rows: keys } = (await runJson(['list', 'keys'], env)).document
  const active = keys.filter((each: { deactivated_at: string | null }) => each.deactivated_at === null)
  expect(active).toHaveLength(1)
  const isRotated = active[0].id !== key.id
  const [printed] = /^\{.*\}$/m.exec(output) ?? []
  const issued = printed === undefined ? undefined : JSON.parse(printed)
  // A new key is printed before it takes effect, so that it cannot be lost.
  if (isRotated) expect(issued?.id).toBe(active[0].id)
  expect(await fetchStatus('/v1/partner/meta', key.key)).toBe(isRotated ? 401 : 200)
  if (issued?.key) expect(await fetchStatus('/v1/partner/meta', issued.key)).toBe(isRotated ? 200 : 401)
  if (isRotated) key = issued
}

async function importCompanies(): Promise<void> {
  const file = companiesFile()
  await killDuring(['import', 'companies', file])
  expect(await recovery()).toBeLessThan(MAX_RECOVERY_MS)
  // The first import has stored all rows or none.
  const { document } = await runJson(['import', 'companies', file], env)
  expect([0, ROWS]).toContain(document.total.stored)
  expect(document.total).toMatchObject({ read: ROWS, rejected: 0 })
}

async function migrate(): Promise<void> {
  await killDuring(['migrate'])
  expect(await recovery()).toBeLessThan(MAX_RECOVERY_MS)
  expect((await runJson(['migrate'], env)).document).toEqual({ migrations: [], outdated_zones: [] })
}

test('after kills of the service, PostgreSQL and commands, keys work as stored, imports are complete or absent, and the service responds', async () => {
  await start()
  const deadline = performance.now() + DURATION_MS
  const actions = [rotate, importCompanies, migrate]
  for (let i = 0; performance.now() < deadline; i++) await (actions[i % actions.length] as () => Promise<void>)()
  expect((await service.end('SIGTERM')).code).toBe(0)
  expect(dir.postmaster()).toBeUndefined()
  const left = readdirSync(join(dir.path, 'postgres')).filter(name => name !== 'postgres.log')
  expect(left.sort()).toEqual(['cluster', 'credentials.json'])
  expect(readFileSync(join(dir.path, 'postgres', 'postgres.log'), 'utf8')).toContain('database system is shut down')
})

test('a service that is killed at any moment of its first start starts again, with the whole demo', async () => {
  const created = new DataDir()
  const env = { DATA_DIR: created.path, METRICS_ENV: 'dev', LOG_LEVEL: 'error' }
  try {
    for (let ms = 100; ms <= 4_000; ms += rounds(1_300, 400)) {
      const service = new Command(['serve'], env)
      await sleep(ms)
      await service.end('SIGKILL')
      // Every other time PostgreSQL is killed, too.
      if (ms % 1_600 > 800) kill(created.postmaster())
    }
    const again = new Command(['serve'], env)
    const url = await again.url()
    const scope = ['--all-companies', '--scope', 'internal:graphql:read']
    const { document } = await runJson(['keys', 'issue', ...scope], env)
    const { status, body } = await send(`${url}/v1/partner/meta`, { key: document.key })
    expect([status, body.companies.length]).toEqual([200, 3])
    expect((await again.end('SIGTERM')).code).toBe(0)
    expect(created.postmaster()).toBeUndefined()
  } finally {
    await created.dispose()
  }
})
