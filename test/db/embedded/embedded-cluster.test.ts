import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { lstatSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type Server as NetServer } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { accountFor } from '../../../db/embedded/account'
import { type Embedded, openEmbedded } from '../../../db/embedded/embedded-cluster'
import { readExcessPrivileges } from '../../../db/logins'
import { withPool } from '../../../db/postgres/pool'
import { Command, DataDir, type Env, run as runProcess } from '../../support/command'
import { findPostgres } from '../../support/debian'
import { run, runJson } from '../../support/in-process'

jest.setTimeout(120_000)

const fetchStatus = async (url: string): Promise<number> => (await fetch(`${url}/readyz`)).status

/** Waits for a port that a process still has. */
const listenOn = async (server: NetServer, port: number): Promise<void> => {
  while (!server.listening) {
    server.listen(port, '127.0.0.1')
    await Promise.race([once(server, 'listening'), once(server, 'error')]).catch(() => sleep(20))
  }
}

/** Runs a statement on a connection of its own, and returns the rows. */
async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  // Whoever has a login may change its defaults.
  const client = new Client({ connectionString: url, options: '-c default_transaction_read_only=off' })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

describe('the embedded PostgreSQL', () => {
  let made: DataDir
  let dir: DataDir
  let env: Env
  const use = (next: DataDir) => {
    dir = next
    env = { DATA_DIR: dir.path, PORT: '0', ADMIN_PORT: '0' }
  }
  beforeAll(async () => {
    made = await DataDir.migrated()
  })
  afterAll(() => made.dispose())

  const isReady = ({ stdout }: Command): boolean => stdout.includes('listening on')

  /** Sends a signal several times, and expects that the service and PostgreSQL shut down in good order. */
  async function shutDown(service: Command, signal: NodeJS.Signals): Promise<void> {
    for (let i = 0; i < 3; i++) service.signal(signal)
    const { code, stderr } = await service.ended
    // A service that was ready was asked to end; any other one did not do what it was started for.
    expect([code, stderr.includes(`error: interrupted by ${signal}`)]).toEqual(
      isReady(service) ? [0, false] : [1, true],
    )
    expect(dir.postmaster()).toBeUndefined()
    // PostgreSQL writes the last line of its log after it has removed its pid file.
    const log = () => readFileSync(join(dir.path, 'postgres', 'postgres.log'), 'utf8')
    await dir.until(() => log().includes('database system is shut down'))
  }

  /** Kills PostgreSQL and takes its port, and expects that the service and commands find it on another one. */
  async function returnOnOtherPort(service: Command, url: string, key: string): Promise<void> {
    const port = dir.port()
    // The service must not restart it before its port is taken.
    service.signal('SIGSTOP')
    const killed = dir.killPostmaster()
    const other = createServer(socket => socket.destroy())
    await listenOn(other, port)
    try {
      service.signal('SIGCONT')
      await dir.untilRestarted(killed)
      const headers = { 'X-API-Key': key }
      while ((await fetch(`${url}/v1/partner/meta`, { headers })).status !== 200) await sleep(50)
      expect(dir.port()).not.toBe(port)
      expect((await runJson(['list', 'keys'], env)).document.rows).toHaveLength(1)
    } finally {
      await new Promise(resolve => other.close(resolve))
    }
  }

  describe('beside a running service', () => {
    let service: Command
    let url: string
    let key: { id: string; key: string }
    beforeAll(async () => {
      use(made.copy())
      service = new Command(['serve'], { ...env, POOL_SIZE: '1' })
      url = await service.url()
    })
    afterAll(() => dir.dispose())

    const untilReady = async () => {
      while ((await fetchStatus(url)) !== 200) await sleep(20)
    }

    test('serves commands, and is started again when it is killed', async () => {
      key = (await runJson(['keys', 'issue', '--no-company'], env)).document
      const answer = await fetch(`${url}/v1/partner/meta`, { headers: { 'X-API-Key': key.key } })
      expect(await answer.json()).toMatchObject({ version: 'v1', companies: [] })
      await dir.untilRestarted(dir.killPostmaster())
      await untilReady()
    })

    test('that cannot be restarted is not ready, and alive, until it can be', async () => {
      const version = join(dir.path, 'postgres', 'cluster', 'PG_VERSION')
      const content = readFileSync(version)
      writeFileSync(version, '9\n')
      try {
        dir.killPostmaster()
        while (!service.stderr.includes('PostgreSQL has stopped, and a restart failed: ')) await sleep(50)
        while ((await fetchStatus(url)) !== 503) await sleep(50)
        expect((await fetch(`${url}/healthz`)).status).toBe(200)
      } finally {
        writeFileSync(version, content)
      }
      await untilReady()
    })

    test('comes back on another port when its former one is taken', () => returnOnOtherPort(service, url, key.key))

    test('outlives it when it is killed, serves the next one, and starts again with all its data after a crash', async () => {
      const pid = dir.postmaster()
      await service.end('SIGKILL')
      expect(dir.postmaster()).toBe(pid)
      const next = new Command(['serve'], env)
      expect(await fetchStatus(await next.url())).toBe(200)
      expect(dir.postmaster()).toBe(pid)
      await Promise.all([next.end('SIGKILL'), dir.killPostmaster()])
      await dir.until(() => dir.postmaster() === undefined)
      const { document } = await runJson(['list', 'keys'], env)
      expect(document).toMatchObject({ rows: [{ id: key.id }] })
      expect(dir.postmaster()).toBeUndefined()
    })
  })

  describe('that may be used with a leaked login', () => {
    let cluster: Embedded
    beforeAll(async () => {
      use(made.copy())
      cluster = await openEmbedded({ dataDir: dir.path, create: false })
    })
    afterAll(async () => {
      await cluster.leave()
      expect(dir.postmaster()).toBeUndefined()
      await dir.dispose()
    })

    test('has a reader without privileges beyond its task, and settings that bound it', async () => {
      expect(await withPool(cluster.readerUrl, { max: 1 }, readExcessPrivileges)).toEqual([])
      const [settings] = await query(
        cluster.ownerUrl,
        `SELECT current_setting('listen_addresses') AS address, current_setting('unix_socket_directories') AS socket,
           current_setting('fsync') AS fsync, current_setting('server_encoding') AS encoding, datcollate AS collation,
           current_setting('client_connection_check_interval') AS "checkInterval", current_setting('max_connections') AS all,
           (SELECT rolconnlimit FROM pg_roles WHERE rolname = 'partner_metrics_reader') AS reader
         FROM pg_database WHERE datname = current_database()`,
      )
      const local = { address: '127.0.0.1', socket: '', fsync: 'on', encoding: 'UTF8', collation: 'C' }
      expect(settings).toEqual({ ...local, checkInterval: '2s', all: '100', reader: 50 })
      expect(statSync(join(dir.path, 'postgres', 'credentials.json')).mode & 0o777).toBe(0o600)
    })

    test.each([
      ['postgres', 'SELECT 1'],
      ['template1', 'SELECT 1'],
      ['', `SELECT lo_import('/etc/hostname')`],
      ['', 'CREATE TEMPORARY TABLE t ()'],
      ['', 'SELECT FROM locks FOR UPDATE'],
      ['', 'BEGIN; LOCK TABLE knex_migrations_lock IN ACCESS SHARE MODE'],
      ['', 'SET temp_file_limit = -1'],
      ['', 'ALTER ROLE CURRENT_USER SET temp_file_limit = -1'],
      ['', "SET log_min_messages = 'log'"],
      ['', "ALTER ROLE CURRENT_USER SET log_min_messages = 'log'"],
      ['', 'ALTER ROLE CURRENT_USER RESET log_min_messages'],
    ])('refuses a leaked reader login other databases, locks, files and logs: %s %s', async (database, statement) => {
      const url = Object.assign(new URL(cluster.readerUrl), database && { pathname: database })
      await expect(query(url.href, statement)).rejects.toThrow(/permission denied/)
    })

    test('keeps the log of PostgreSQL small, which a leaked reader login cannot fill', async () => {
      const log = () => readFileSync(join(dir.path, 'postgres', 'postgres.log'), 'utf8')
      const before = log()
      await query(cluster.readerUrl, 'ALTER ROLE CURRENT_USER RESET ALL')
      await query(
        cluster.readerUrl,
        'RESET ALL; SET debug_print_plan = on; SET trace_sort = on; SELECT 1 ORDER BY random()',
      )
      expect(log()).toBe(before)
      const write = (text: string) => query(cluster.ownerUrl, `DO $$ BEGIN RAISE LOG '${text}'; END $$`)
      for (let i = 0; i < 12; i++) await write('x'.repeat(2 ** 20))
      await write('the last line')
      await dir.until(() => log().length < 11 * 2 ** 20)
      await write('another line')
      expect(log()).toMatch(/the last line.*another line/s)
      expect(log()).not.toContain('\0')
    })

    test('and its logins are left as they are by commands, which find no database where its creation was interrupted', async () => {
      const logins = () => query(cluster.ownerUrl, 'SELECT rolname, xmin FROM pg_authid ORDER BY 1')
      const before = await logins()
      expect((await run(['list', 'keys'], env)).code).toBe(0)
      expect(await logins()).toEqual(before)
      const server = Object.assign(new URL(cluster.ownerUrl), { pathname: 'postgres' }).href
      await query(server, 'DROP DATABASE partner_metrics WITH (FORCE)')
      const { document } = await runJson(['list', 'keys'], env)
      expect(document.error.code).toBe('NO_DATABASE')
      expect(await query(server, "SELECT FROM pg_database WHERE datname = 'partner_metrics'")).toEqual([])
    })
  })

  describe('that exists', () => {
    beforeEach(() => use(made.copy()))
    afterEach(() => dir.dispose())

    test('starts although a crash left the id of its process behind, which another process has now', async () => {
      const cluster = join(dir.path, 'postgres', 'cluster')
      const other = spawn('sleep', ['600'], { ...accountFor(cluster), cwd: '/' })
      try {
        await once(other, 'spawn')
        writeFileSync(join(cluster, 'postmaster.pid'), `${other.pid}\n${cluster}\n1\n1\n\n127.0.0.1\n0 0\nready\n`)
        expect((await run(['list', 'keys'], env)).code).toBe(0)
        expect([other.exitCode, other.signalCode]).toEqual([null, null])
      } finally {
        other.kill()
      }
    })

    test('of another major version of PostgreSQL is not started: one sentence says how to move its data', async () => {
      const version = join(dir.path, 'postgres', 'cluster', 'PG_VERSION')
      const major = readFileSync(version, 'utf8').trim()
      const log = () => readFileSync(join(dir.path, 'postgres', 'postgres.log'), 'utf8')
      const before = log()
      writeFileSync(version, '9\n')
      for (const command of ['migrate', 'verify']) {
        const { code, document } = await runJson([command], env)
        expect([code, document.error.code]).toEqual([1, 'POSTGRES_VERSION_DIFFERS'])
        expect(document.error.message).toMatch(
          new RegExp(
            `is of PostgreSQL 9, but this version has PostgreSQL ${major}: .* export all .* import all .* DATA_DIR$`,
          ),
        )
      }
      expect(log()).toBe(before)
    })
  })

  const bin = findPostgres('initdb', 'pg_ctl', 'postgres')
  const withBin = bin ? test : test.skip
  withBin('is that of POSTGRES_BIN where it is set, as status and the log of the start say', async () => {
    use(new DataDir())
    const own = { ...env, POSTGRES_BIN: bin as string }
    const service = new Command(['serve'], own)
    await service.url()
    const { version, programs } = (await runJson(['status'], own)).document.database
    expect([Number.parseInt(version, 10), programs]).toEqual([Number(basename(dirname(bin as string))), bin])
    expect(await service.startLog()).toContain(JSON.stringify({ postgres: { version, programs } }).slice(1, -1))
    await shutDown(service, 'SIGTERM')
    const { document } = await runJson(['list', 'keys'], env)
    expect(document.error.code).toBe('POSTGRES_VERSION_DIFFERS')
    await dir.dispose()
  })

  test('is not started with what POSTGRES_BIN names but is no PostgreSQL', async () => {
    const { code, document } = await runJson(['list', 'keys'], { DATA_DIR: made.path, POSTGRES_BIN: tmpdir() })
    const message = expect.stringMatching(
      /^POSTGRES_BIN is .*, but must be .* PostgreSQL 15 to 18 .* is missing there$/,
    )
    expect([code, document.error]).toEqual([1, { code: 'NO_POSTGRES', message }])
  })

  describe('that does not exist yet', () => {
    beforeEach(() => use(new DataDir()))
    afterEach(() => dir.dispose())

    test('is created after an interrupted attempt, and stops when the service is stopped before it is ready', async () => {
      const home = join(dir.path, 'postgres')
      const interrupted = new Command(['migrate'], env)
      await dir.until(() => lstatSync(home, { throwIfNoEntry: false })?.isDirectory() === true)
      await dir.until(() => readdirSync(home).some(name => name.startsWith('unfinished-')))
      await interrupted.end('SIGKILL')
      expect(readdirSync(home)).not.toContain('cluster')
      const service = new Command(['serve'], env)
      await dir.until(() => dir.postmaster() !== undefined)
      await shutDown(service, 'SIGINT')
      expect(service.stdout).toBe('')
      expect((await run(['migrate'], env)).code).toBe(0)
      expect(readdirSync(home).sort()).toEqual(['cluster', 'credentials.json', 'postgres.log'])
    })

    test('is created and started once for commands and services at the same time, and the last one to leave stops it', async () => {
      const command = runProcess(['migrate', '--json'], env)
      const services = [1, 2].map(() => new Command(['serve'], env))
      expect((await command).code).toBe(0)
      const urls = await Promise.all(services.map(service => service.url()))
      const [first, last] = services as [Command, Command]
      expect(await Promise.all(urls.map(fetchStatus))).toEqual([200, 200])
      expect((await first.end('SIGINT')).code).toBe(0)
      expect(dir.postmaster()).toBeDefined()
      expect(await fetchStatus(urls[1] as string)).toBe(200)
      await shutDown(last, 'SIGHUP')
    })
  })

  test.each([
    '/proc/x/y',
    '/dev/null',
    join(tmpdir(), 'x'.repeat(300)),
    join(tmpdir(), ...Array(100).fill('directories')),
  ])('whose directory %s cannot be used is reported at once', async path => {
    const { code, document } = await runJson(['migrate'], { DATA_DIR: path })
    expect([code, document.error.code]).toEqual([1, 'DATA_DIR_UNUSABLE'])
    expect(document.error.message).toContain('DATA_DIR')
  })
})
