/** Commands that wait for another one's lock. */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { takeLock } from '../../db/locks'
import { takeSchemaLock } from '../../db/migrate/schema-lock'
import { DataDir } from '../support/command'
import { createDatabase, settingsOf, type TestDatabase } from '../support/databases'
import { type Env, run } from '../support/in-process'

jest.setTimeout(60_000)

let database: TestDatabase
let env: Env
const dir = new DataDir()
const file = join(dir.path, '..', 'companies.csv')

beforeAll(async () => {
  database = await createDatabase()
  env = settingsOf(database)
  writeFileSync(file, 'name\nAlder\n')
})
afterAll(async () => {
  await database.drop()
  await dir.dispose()
})

/** Returns a session that looks like a command. */
async function connect(): Promise<Client> {
  const client = new Client({
    connectionString: database.ownerUrl,
    application_name: 'partner-metrics other (process 7)',
  })
  await client.connect()
  return client
}

/** Ends a session when another one waits for its lock. */
async function endOnceAwaited(holder: Client): Promise<void> {
  const observer = await connect()
  // Other tests have databases of their own on the same server.
  const awaited = `SELECT FROM pg_locks l JOIN pg_stat_activity a USING (pid)
    WHERE NOT l.granted AND a.datname = current_database()`
  while ((await observer.query(awaited)).rowCount === 0) await sleep(5)
  await observer.end()
  await holder.end()
}

const REPORT =
  /waiting for partner-metrics (other \(process 7\)|migrate \(process \d+ on .+\)).*, which began at 20\S+Z\n(.*: )?it has ended: going on\n/

test.each([
  ['import', 'import', () => ['import', 'companies', file]],
  ['import', 'import --dry-run', () => ['import', 'companies', file, '--dry-run']],
  ['import', 'delete', () => ['delete', 'companies', 'Alder', '--yes']],
  ['import', 'retain', () => ['retain', '--months', '5', '--yes']],
  ['import', 'verify --repair', () => ['verify', '--repair']],
  ['import', 'demo', () => ['demo']],
  ['demo', 'demo', () => ['demo']],
] as const)('of the lock %s: %s says for whom, and when it goes on', async (lock, _, args) => {
  const holder = await connect()
  await holder.query('BEGIN')
  await takeLock(holder, lock)
  const [{ code, stderr }] = await Promise.all([run(args(), env), endOnceAwaited(holder)])
  expect([code, stderr]).toEqual([0, expect.stringMatching(REPORT)])
})

test('of the lock of migrations: migrate says for whom, and when it goes on', async () => {
  const holder = await takeSchemaLock(database.ownerUrl)
  const [{ code, stderr }] = await Promise.all([run(['migrate'], env), endOnceAwaited(holder)])
  expect([code, stderr]).toEqual([0, expect.stringMatching(REPORT)])
})

test('a command that does not wait says nothing of it', async () => {
  expect((await run(['import', 'companies', file], env)).stderr).not.toMatch(/waiting|going on/)
})
