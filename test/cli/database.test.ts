import { Client } from 'pg'
import { Command } from '../support/command'
import { createDatabase, settingsOf, type TestDatabase } from '../support/databases'
import { type Env, run, runJson } from '../support/in-process'

jest.setTimeout(60_000)

/** The commands that neither create nor upgrade a database; serve neither, on one of DATABASE_URL. */
const COMMANDS = [
  ['serve'],
  ['import', 'companies', '-'],
  ['import', 'all', '/nowhere'],
  ['export', 'all', '--output', '/nowhere'],
  ['export', 'impressions', '--from', '2026-01-01', '--to', '2026-01-01', '--output-format', 'csv'],
  ['list', 'companies'],
  ['show', 'companies', 'x'],
  ['delete', 'companies', 'x', '--yes'],
  ['retain', '--months', '1', '--yes'],
  ['status'],
  ['verify', '--repair'],
  ['history'],
  ['keys', 'issue', '--no-company'],
  ['keys', 'list'],
  ['legacy-traffic'],
]

/** Returns the last lines on stderr of commands that fail. */
async function collectErrors(commands: readonly string[][], env: Env): Promise<(string | undefined)[]> {
  const ended = await Promise.all(
    commands.map(command => (command[0] === 'serve' ? new Command(command, env).ended : run(command, env))),
  )
  expect(ended.map(({ code, stdout }) => [code, stdout])).toEqual(commands.map(() => [1, '']))
  return ended.map(({ stderr }) => stderr.trimEnd().split('\n').at(-1))
}

describe('a database of DATABASE_URL', () => {
  let database: TestDatabase
  let owner: Client
  let env: Env
  let location: string
  beforeEach(async () => {
    database = await createDatabase()
    env = settingsOf(database)
    const { host, pathname } = new URL(database.ownerUrl)
    location = host + pathname
    owner = new Client({ connectionString: database.ownerUrl })
    await owner.connect()
  })
  afterEach(async () => {
    await owner.end()
    await database.drop()
  })

  test('that is empty stays empty: commands say where they looked', async () => {
    await owner.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public')
    const errors = await collectErrors(COMMANDS, env)
    expect(errors).toEqual(COMMANDS.map(() => expect.stringContaining(`error: there is no database in ${location}: `)))
    const { rows } = await owner.query("SELECT FROM pg_class WHERE relnamespace = 'public'::regnamespace")
    expect(rows).toEqual([])
  })

  test('with the schema of a later version is used by no command', async () => {
    await owner.query(`INSERT INTO knex_migrations (name, batch, migration_time) VALUES ('9999_later.ts', 9, now())`)
    const [serve, list, migrate] = await collectErrors([['serve'], ['list', 'companies'], ['migrate']], env)
    expect(list).toMatch(/^error: .* later version \(9999_later\.ts\): use that version, or a later one$/)
    expect([serve, migrate]).toEqual([list, list])
  })

  test('whose logins lack privileges gets them by migrate only', async () => {
    for (const [setting, revoke, reason] of [
      ['READER_DATABASE_URL', 'REVOKE SELECT ON companies FROM', 'lacks privileges'],
      ['WRITER_DATABASE_URL', 'REVOKE EXECUTE ON FUNCTION report_running FROM', 'lacks privileges'],
      ['READER_DATABASE_URL', 'REVOKE CONNECT ON DATABASE :database FROM', 'cannot log in: permission denied'],
    ] as const) {
      const { username, pathname } = new URL(env[setting] as string)
      await owner.query(`${revoke.replace(':database', pathname.slice(1))} ${username}`)
      expect((await runJson(['list', 'companies'], env)).document).toEqual({ rows: [] })
      const [error] = await collectErrors([['serve']], env)
      expect(error).toContain(`error: ${setting}: its login ${reason}`)
      expect(error).toContain('`partner-metrics migrate` with the same settings grants what it needs')
      expect(await run(['migrate'], env)).toEqual({ code: 0, stdout: 'the database is up to date\n', stderr: '' })
    }
    const service = new Command(['serve'], env)
    await service.url()
    expect((await service.end('SIGTERM')).code).toBe(0)
  })
})
