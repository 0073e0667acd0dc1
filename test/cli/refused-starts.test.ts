/** Errors that end a command before it does anything: settings, ports, the database of DATABASE_URL and its logins. */
import { existsSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { Command, DataDir } from '../support/command'
import { settingsOf } from '../support/databases'
import { freePort } from '../support/free-port'
import { send } from '../support/http'
import { type Env, run as runInProcess } from '../support/in-process'
import { Lock } from '../support/lock'
import { like, splitWords } from '../support/text'
import { World } from '../support/world'

jest.setTimeout(120_000)

/** The commands that neither create nor upgrade a database; serve neither, on one of DATABASE_URL. */
const COMMANDS = [
  ...['serve', 'import companies -', 'export all --output /nowhere', 'list companies', 'show companies x'],
  ...['delete companies x --yes', 'retain --months 1 --yes', 'status', 'history', 'verify --repair'],
  ...['keys issue --no-company', 'list keys', 'legacy-traffic'],
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

/** Starts the service, and returns the last line of what it says before it ends with 1. */
async function refuse(settings: Env): Promise<string | undefined> {
  const { code, stdout, stderr } = await runInProcess(['serve'], { LOG_LEVEL: 'silent', ...settings })
  expect([code, stdout]).toEqual([1, ''])
  return stderr.trimEnd().split('\n').at(-1)
}

test('serve names the setting of what it cannot use', async () => {
  const other = createServer().unref()
  await new Promise<void>(resolve => other.listen(0, '127.0.0.1', resolve))
  const { port } = other.address() as AddressInfo
  const { host } = new URL(world.database.ownerUrl)
  const nobody = `127.0.0.1:${await freePort()}`
  const login = 'READER_DATABASE_URL'
  const wrong = Object.assign(new URL(env[login]!), { password: 'wrong' }).href
  for (const [setting, value, message] of [
    ...['PORT', 'ADMIN_PORT'].map(
      setting => [setting, `${port}`, `cannot listen on 127.0.0.1:${port} (${setting}): it is in use`] as const,
    ),
    ['HOST', '203.0.113.5', 'cannot listen on 203.0.113.5:… (HOST): …EADDRNOTAVAIL…'],
    ['HOST', 'nowhere.invalid', 'cannot listen on nowhere.invalid:… (HOST): getaddrinfo …'],
    [login, env.DATABASE_URL!, `${login}: its login is a superuser, …; the service …`],
    [login, env[login]!.replace(host, nobody), `${login}: its login cannot log in: …ECONNREFUSED…`],
    [login, wrong.replace(host, `${nobody},${host}`), `${login}: its login cannot log in: password authentication …`],
  ] as const)
    expect([setting, value, await refuse({ ...env, [setting]: value })]).toEqual([
      setting,
      value,
      like(`error: ${message}`),
    ])
  other.close()
})

test('serve on a port in use creates no database and issues no key; requests wait until it is ready', async () => {
  const other = createServer().unref()
  await new Promise<void>(resolve => other.listen(0, '127.0.0.1', resolve))
  const { port } = other.address() as AddressInfo
  const missing = join(dir.parent, 'missing')
  for (const setting of ['PORT', 'ADMIN_PORT']) {
    const message = await refuse({ DATA_DIR: missing, METRICS_ENV: 'dev', [setting]: `${port}` })
    expect([message, existsSync(missing)]).toEqual([like('error: cannot listen on …: it is in use'), false])
  }
  await new Promise(resolve => other.close(resolve))
  const lock = await Lock.take(world.database.ownerUrl, 'LOCK TABLE service')
  const service = new Command(['serve'], { ...env, PORT: `${port}` })
  const get = (path: string) => send(`http://127.0.0.1:${port}${path}`)
  const early = (async () => {
    for (;;) {
      const response = await get('/readyz').catch(() => undefined)
      if (response) return response.status
    }
  })()
  await lock.untilAwaited()
  expect(service.stdout).toBe('')
  await lock.release()
  await service.url()
  expect(await early).toBe(200)
  expect((await service.end('SIGTERM')).code).toBe(0)
})

test('serve does not start with logins that lack privileges, which they get by migrate only', async () => {
  const setting = 'READER_DATABASE_URL'
  for (const [revoke, reason] of [
    ['REVOKE SELECT ON companies FROM', 'lacks privileges'],
    ['REVOKE EXECUTE ON FUNCTION authenticate_key FROM', 'lacks privileges'],
    ['REVOKE CONNECT ON DATABASE :database FROM', 'cannot log in: permission denied'],
  ] as const) {
    const { username, pathname } = new URL(env[setting]!)
    await world.rows(`${revoke.replace(':database', pathname.slice(1))} ${username}`)
    expect((await world.runJson(['list', 'companies'])).document).toEqual({ rows: [] })
    expect(await refuse(env)).toEqual(like(`error: ${setting}: its login ${reason}…\`partner-metrics migrate\`…`))
    expect(await world.run(['migrate'])).toEqual({ code: 0, stdout: 'the database is up to date\n', stderr: '' })
  }
})

test('serve names the settings that the login of the reader lacks, with the SQL that sets them', async () => {
  const name = new URL(world.database.ownerUrl).pathname.slice(1)
  const reader = `reader_of_${name}`
  const url = Object.assign(new URL(env.READER_DATABASE_URL!), { username: reader, password: 'own' }).href
  await world.rows(`CREATE ROLE ${reader} LOGIN PASSWORD 'own'`)
  const own = { ...env, READER_DATABASE_URL: url }
  await runInProcess(['migrate'], own)
  await world.rows(`ALTER ROLE ${reader} IN DATABASE ${name} RESET default_transaction_isolation`)
  await world.rows(`ALTER ROLE ${reader} IN DATABASE ${name} SET statement_timeout = 0`)
  const message = await refuse(own)
  const [, values, statements = ''] = /begin with (.*): run (.*) \(`partner/.exec(message!) ?? []
  expect(values).toBe('default_transaction_isolation = read committed, statement_timeout = 0')
  await world.rows(statements)
  const service = new Command(['serve'], own)
  await service.url()
  await service.end('SIGTERM')
  await world.rows(`DROP OWNED BY ${reader}; DROP ROLE ${reader}`)
})

/** Returns the last lines on stderr of commands that fail. */
async function collectErrors(commands: readonly string[]): Promise<(string | undefined)[]> {
  const errors: (string | undefined)[] = []
  for (const command of commands) {
    if (command === 'serve') errors.push(await refuse(env))
    else {
      const { code, stdout, stderr } = await world.run(splitWords(command))
      expect([command, code, stdout]).toEqual([command, 1, ''])
      errors.push(stderr.trimEnd().split('\n').at(-1))
    }
  }
  return errors
}

test.each([
  ['9999_later.ts', 'error: …later version (9999_later.ts): use that version, or a later one'],
  ['0300_schema.ts', 'error: …before the first release (…0300_schema.ts), …: import the sources again, …'],
])('no command uses a database with the migration %s of another version', async (name, message) => {
  await world.rows('UPDATE knex_migrations SET name = $1 WHERE id = (SELECT max(id) FROM knex_migrations)', [name])
  const commands = ['serve', 'list companies', 'migrate']
  expect(await collectErrors(commands)).toEqual(commands.map(() => like(message)))
})

test('an empty database stays empty: commands say where they looked', async () => {
  await world.rows('DROP SCHEMA public CASCADE; CREATE SCHEMA public')
  const { host, pathname } = new URL(world.database.ownerUrl)
  const message = like(`error: there is no database in ${host}${pathname}: …`)
  expect(await collectErrors(COMMANDS)).toEqual(COMMANDS.map(() => message))
  expect(await world.rows("SELECT FROM pg_class WHERE relnamespace = 'public'::regnamespace")).toEqual([])
})
