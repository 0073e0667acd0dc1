/** Errors that end a command before it does anything: settings, ports, the database of DATABASE_URL and its logins. */
import { existsSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { Command, DataDir, run } from '../support/command'
import { settingsOf } from '../support/databases'
import type { Env } from '../support/in-process'
import { World } from '../support/world'

jest.setTimeout(120_000)

/** The commands that neither create nor upgrade a database; serve neither, on one of DATABASE_URL. */
const COMMANDS = [
  ['serve'],
  ['import', 'companies', '-'],
  ['export', 'all', '--output', '/nowhere'],
  ...[
    'list companies',
    'show companies x',
    'delete companies x --yes',
    'retain --months 1 --yes',
    'status',
    'history',
  ].map(command => command.split(' ')),
  ...['verify --repair', 'keys issue --no-company', 'list keys', 'legacy-traffic'].map(command => command.split(' ')),
]

let world: World
let env: Env
const dir = new DataDir()
beforeAll(async () => {
  world = await World.open()
  env = settingsOf(world.database)
})
afterAll(async () => {
  await world.stop()
  await dir.dispose()
})

/** Starts the service, and returns what it says before it ends with 1. */
async function refuse(settings: Env): Promise<string> {
  const { code, stdout, stderr } = await run(['serve'], settings)
  expect([code, stdout]).toEqual([1, ''])
  return stderr
}

const UNKNOWN = /^error: the process ended before its command did: .*\n$/

test.each([
  ['the event loop has nothing left to wait for', 'function () { return this }', UNKNOWN],
  ['a package ends the process', '() => process.exit(0)', UNKNOWN],
  ['a module cannot be loaded', "0; require('node:module')._load = () => { throw new Error('lost') }", /lost/],
  ['nothing handles an error', "() => void Promise.reject(new Error('lost'))", /^error: unexpected error: lost\n$/],
  ['nothing handles a rejection without one', '() => void Promise.reject(null)', /^error: unexpected error: null\n$/],
])('serve does not end without a word before it listens: %s', async (_, listen, message) => {
  const file = join(dir.path, '..', 'preload.js')
  writeFileSync(file, `require('node:net').Server.prototype.listen = ${listen}`)
  expect(await refuse({ ...env, NODE_OPTIONS: `--require "${file}"` })).toMatch(message)
})

test('serve finds a port in use before it creates a database', async () => {
  const other = createServer()
  await new Promise<void>(resolve => other.listen(0, '127.0.0.1', resolve))
  const { port } = other.address() as AddressInfo
  for (const setting of ['PORT', 'ADMIN_PORT']) {
    const error = await refuse({ DATA_DIR: dir.path, METRICS_ENV: 'dev', [setting]: `${port}` })
    expect(error).toBe(`error: cannot listen on 127.0.0.1:${port} (${setting}): it is in use\n`)
    expect(existsSync(dir.path)).toBe(false)
  }
  other.close()
})

test('serve names the setting of an address that the machine does not have, or of a login that is not as it has to be', async () => {
  const { host } = new URL(world.database.ownerUrl)
  const unreachable = (url: string) => url.replace(host, '127.0.0.1:1')
  for (const [setting, value, message] of [
    ['HOST', '203.0.113.5', /^error: cannot listen on 203\.0\.113\.5:\d+ \(HOST\): .*EADDRNOTAVAIL/],
    ['HOST', 'nowhere.invalid', /^error: cannot listen on nowhere\.invalid:\d+ \(HOST\): getaddrinfo /],
    ...['READER_DATABASE_URL', 'WRITER_DATABASE_URL'].flatMap(
      login =>
        [
          [
            login,
            env.DATABASE_URL!,
            new RegExp(`^error: ${login}: its login is a superuser, .*; the service \\w+ `, 'm'),
          ],
          [
            login,
            unreachable(env[login]!),
            new RegExp(`^error: ${login}: its login cannot log in: .*ECONNREFUSED`, 'm'),
          ],
        ] as const,
    ),
  ] as const)
    expect(await refuse({ ...env, [setting]: value })).toMatch(message)
})

test('serve does not start with logins that lack privileges, which they get by migrate only', async () => {
  for (const [setting, revoke, reason] of [
    ['READER_DATABASE_URL', 'REVOKE SELECT ON companies FROM', 'lacks privileges'],
    ['WRITER_DATABASE_URL', 'REVOKE EXECUTE ON FUNCTION report_running FROM', 'lacks privileges'],
    ['READER_DATABASE_URL', 'REVOKE CONNECT ON DATABASE :database FROM', 'cannot log in: permission denied'],
  ] as const) {
    const { username, pathname } = new URL(env[setting]!)
    await world.rows(`${revoke.replace(':database', pathname.slice(1))} ${username}`)
    expect((await world.runJson(['list', 'companies'])).document).toEqual({ rows: [] })
    const error = await refuse(env)
    expect(error).toContain(`error: ${setting}: its login ${reason}`)
    expect(error).toContain('`partner-metrics migrate` with the same settings grants what it needs')
    expect(await world.run(['migrate'])).toEqual({ code: 0, stdout: 'the database is up to date\n', stderr: '' })
  }
  const service = new Command(['serve'], env)
  await service.url()
  expect((await service.end('SIGTERM')).code).toBe(0)
})

/** Returns the last lines on stderr of commands that fail. */
async function collectErrors(commands: readonly string[][]): Promise<(string | undefined)[]> {
  const errors: (string | undefined)[] = []
  for (const command of commands) {
    const { code, stdout, stderr } = await (command[0] === 'serve' ? run(command, env) : world.run(command))
    expect([command, code, stdout]).toEqual([command, 1, ''])
    errors.push(stderr.trimEnd().split('\n').at(-1))
  }
  return errors
}

test('no command uses a database with the schema of a later version', async () => {
  await world.rows(`INSERT INTO knex_migrations (name, batch, migration_time) VALUES ('9999_later.ts', 9, now())`)
  const [serve, list, migrate] = await collectErrors([['serve'], ['list', 'companies'], ['migrate']])
  expect(list).toMatch(/^error: .* later version \(9999_later\.ts\): use that version, or a later one$/)
  expect([serve, migrate]).toEqual([list, list])
})

test('an empty database stays empty: commands say where they looked', async () => {
  await world.rows('DROP SCHEMA public CASCADE; CREATE SCHEMA public')
  const { host, pathname } = new URL(world.database.ownerUrl)
  const message = expect.stringContaining(`error: there is no database in ${host}${pathname}: `)
  expect(await collectErrors(COMMANDS)).toEqual(COMMANDS.map(() => message))
  expect(await world.rows("SELECT FROM pg_class WHERE relnamespace = 'public'::regnamespace")).toEqual([])
})
