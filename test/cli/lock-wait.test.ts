/** Commands that wait for another one's lock. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { takeImportLock } from '../../db/locks'
import { run } from '../support/in-process'
import { World } from '../support/world'

jest.setTimeout(60_000)

let world: World

beforeAll(async () => {
  world = await World.open()
  await world.make.company('Birch')
})
afterAll(() => world.stop())

/** Returns a session that looks like a command. */
async function connect(): Promise<Client> {
  const { ownerUrl } = world.database
  const client = new Client({ connectionString: ownerUrl, application_name: 'partner-metrics other (process 7)' })
  await client.connect()
  return client
}

/** Commits and ends a session when others have waited for its locks long enough to say so. */
async function commitOnceAwaited(holder: Client, sessions: number): Promise<void> {
  // Other tests have databases of their own on the same server.
  const awaited = `SELECT DISTINCT pid FROM pg_locks l JOIN pg_stat_activity a USING (pid)
    WHERE NOT l.granted AND a.datname = current_database() AND query_start < clock_timestamp() - interval '4 seconds'`
  while ((await world.rows(awaited)).length < sessions) await sleep(100)
  await holder.query('COMMIT')
  await holder.end()
}

const REPORT =
  /waiting for partner-metrics other \(process 7\).*, which began at 20\S+Z\n(.*: )?it has ended: going on\n/

test('commands that wait for another one say for whom, and when they go on', async () => {
  const holder = await connect()
  await holder.query('BEGIN')
  await takeImportLock(holder)
  const commands = [
    ['import', 'companies', '-'],
    ['import', 'companies', '-', '--dry-run'],
    ['delete', 'companies', 'Birch', '--yes'],
    ['retain', '--months', '5', '--yes'],
    ['verify', '--repair'],
  ]
  const running = Promise.all(commands.map(args => world.run(args, args[0] === 'import' ? 'name\nAlder\n' : undefined)))
  const [ended] = await Promise.all([running, commitOnceAwaited(holder, commands.length)])
  for (const { code, stderr } of ended) expect([code, stderr]).toEqual([0, expect.stringMatching(REPORT)])
})

test('changes that waited are stored where the database defaults to serializable transactions', async () => {
  const [{ name }] = (await world.rows('SELECT current_database() AS name')) as [{ name: string }]
  await world.rows(`ALTER DATABASE ${name} SET default_transaction_isolation = 'serializable'`)
  const { id } = (await world.runJson(['keys', 'issue', '--no-company'])).document
  const holder = await connect()
  await holder.query(`BEGIN ISOLATION LEVEL READ COMMITTED; UPDATE api_keys SET label = 'held'`)
  await takeImportLock(holder)
  // The connections of other tests began with another default.
  const env = { DATABASE_URL: world.database.ownerUrl.replace('127.0.0.1', 'localhost') }
  const running = Promise.all([
    ...['Rowan', 'Yew'].map(company => run(['import', 'companies', '-'], env, `name\n${company}\n`)),
    run(['keys', 'rotate', id], env),
  ])
  await commitOnceAwaited(holder, 3)
  expect((await running).map(({ code, stderr }) => [code, stderr.replace(/^-: (waiting|it has).*\n/gm, '')])).toEqual(
    Array(3).fill([0, '']),
  )
})
