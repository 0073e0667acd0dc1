/** Commands that wait for another one's lock. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { takeLock } from '../../db/locks'
import { takeSchemaLock } from '../../db/migrate/schema-lock'
import { COMPANIES } from '../../db/seeds/demo/assets'
import { Command } from '../support/command'
import { settingsOf } from '../support/databases'
import { World } from '../support/world'

jest.setTimeout(60_000)

const FILE = 'name\nAlder\n'

let world: World

beforeAll(async () => {
  world = await World.open()
  await world.make.company('Birch')
  // The demo is refused, once it has waited.
  await world.make.company(COMPANIES[0]!.name)
})
afterAll(() => world.stop())

/** Returns a session that looks like a command. */
async function connect(): Promise<Client> {
  const { ownerUrl } = world.database
  const client = new Client({ connectionString: ownerUrl, application_name: 'partner-metrics other (process 7)' })
  await client.connect()
  return client
}

/** Ends a session when others wait for its lock. */
async function endOnceAwaited(holder: Client, sessions: number): Promise<void> {
  // Other tests have databases of their own on the same server.
  const awaited = `SELECT DISTINCT pid FROM pg_locks l JOIN pg_stat_activity a USING (pid)
    WHERE NOT l.granted AND a.datname = current_database()`
  while ((await world.rows(awaited)).length < sessions) await sleep(20)
  await holder.end()
}

const REPORT =
  /waiting for partner-metrics (other \(process 7\)|migrate \(process \d+ on .+\)).*, which began at 20\S+Z\n(.*: )?it has ended: going on\n/

const REFUSED = new RegExp(`${REPORT.source}.*error: the demo cannot be imported: `, 's')

test.each([
  [
    'import',
    [
      ['import', 'companies', '-'],
      ['import', 'companies', '-', '--dry-run'],
      ['delete', 'companies', 'Birch', '--yes'],
      ['retain', '--months', '5', '--yes'],
      ['verify', '--repair'],
      ['demo'],
    ],
  ],
  ['demo', [['demo']]],
  ['migrations', [['migrate']]],
] as const)('of the lock of %s: each says for whom, and when it goes on', async (lock, commands) => {
  const holder = lock === 'migrations' ? await takeSchemaLock(world.database.ownerUrl) : await connect()
  if (lock !== 'migrations') {
    await holder.query('BEGIN')
    await takeLock(holder, lock)
  }
  const running = Promise.all(commands.map(args => world.run(args, args[0] === 'import' ? FILE : undefined)))
  const [ended] = await Promise.all([running, endOnceAwaited(holder, commands.length)])
  expect(ended.map(({ code, stderr }) => [code, stderr])).toEqual(
    commands.map(([name]) =>
      name === 'demo' ? [1, expect.stringMatching(REFUSED)] : [0, expect.stringMatching(REPORT)],
    ),
  )
})

test.each(['LOCK TABLE companies IN EXCLUSIVE MODE', 'LOCK TABLE operations', 'SELECT FROM locks FOR UPDATE'])(
  'of a session of another program, by %s: an import says for whom, and when it goes on',
  async lock => {
    const holder = new Client({ connectionString: world.database.ownerUrl, application_name: 'psql' })
    await holder.connect()
    await holder.query(`BEGIN; ${lock}`)
    const command = new Command(['import', 'companies', '-'], settingsOf(world.database), `name\n${lock}\n`)
    while (!command.stderr.includes('waiting')) await sleep(50)
    await holder.end()
    const { code, stderr } = await command.ended
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/^-: waiting for psql.*, which began at 20\S+Z\n-: it has ended: going on\n$/),
    ])
  },
)
