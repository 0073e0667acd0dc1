import { once } from 'node:events'
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { type AddressInfo, createServer, type Server as NetServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { openEmbedded } from '../../../db/embedded/embedded-cluster'
import { readExcessPrivileges } from '../../../db/logins'
import { withPool } from '../../../db/postgres/pool'
import { Command, DataDir, type Env, run, runJson } from '../../support/command'

jest.setTimeout(120_000)

const fetchStatus = async (url: string): Promise<number> => (await fetch(`${url}/readyz`)).status

/** Waits for a port that a process still has. */
const listenOn = async (server: NetServer, port: number): Promise<void> => {
  while (!server.listening) {
    server.listen(port, '127.0.0.1')
    await Promise.race([once(server, 'listening'), once(server, 'error')]).catch(() => sleep(20))
  }
}

const query = async (url: string, text: string): Promise<Record<string, unknown>[]> => {
  const client = new Client({ connectionString: url })
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
    env = { DATA_DIR: dir.path }
  }
  beforeAll(async () => {
    made = await DataDir.migrated()
  })
  afterAll(() => made.dispose())
  afterEach(() => dir.dispose())

  describe('that exists', () => {
    beforeEach(() => use(made.copy()))

    test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
      'shuts down in good order when the service gets %s, even several times',
      async signal => {
        const service = new Command(['serve'], env)
        expect(await fetchStatus(await service.url())).toBe(200)
        expect(dir.postmaster()).toBeDefined()
        for (let i = 0; i < 3; i++) service.signal(signal)
        expect((await service.end('SIGTERM')).code).toBe(0)
        expect(dir.postmaster()).toBeUndefined()
        // PostgreSQL writes the last line of its log after it has removed its pid file.
        const log = () => readFileSync(join(dir.path, 'postgres', 'postgres.log'), 'utf8')
        await dir.until(() => log().includes('database system is shut down'))
      },
    )

    test('outlives a killed service, serves the next one, and starts again with all its data after a crash', async () => {
      const killed = new Command(['serve'], env)
      await killed.url()
      const pid = dir.postmaster()
      await killed.end('SIGKILL')
      expect(dir.postmaster()).toBe(pid)
      const next = new Command(['serve'], env)
      expect(await fetchStatus(await next.url())).toBe(200)
      expect(dir.postmaster()).toBe(pid)
      const { id } = (await runJson(['keys', 'issue', '--no-company'], env)).document
      await Promise.all([next.end('SIGKILL'), process.kill(pid as number, 'SIGKILL')])
      const { document } = await runJson(['keys', 'list'], env)
      expect(document.keys).toMatchObject([{ id }])
      expect(dir.postmaster()).toBeUndefined()
    })

    test('serves commands beside a running service, and is started again when it is killed', async () => {
      const service = new Command(['serve'], env)
      const url = await service.url()
      const { key } = (await runJson(['keys', 'issue', '--no-company'], env)).document
      const answer = await fetch(`${url}/v1/partner/meta`, { headers: { 'X-API-Key': key } })
      expect(await answer.json()).toEqual({ version: 'v1', companies: [] })
      process.kill(dir.postmaster() as number, 'SIGKILL')
      let status: number
      do status = await fetchStatus(url)
      while (status !== 200)
      expect((await service.end('SIGTERM')).code).toBe(0)
      expect(dir.postmaster()).toBeUndefined()
    })

    test.each(['1', '2'])(
      'comes back on another port when its former one is taken, and a service with WORKERS=%s finds it there',
      async workers => {
        const service = new Command(['serve'], { ...env, WORKERS: workers })
        const url = await service.url()
        const { key } = (await runJson(['keys', 'issue', '--no-company'], env)).document
        const port = dir.port()
        // The service must not restart it before its port is taken.
        service.signal('SIGSTOP')
        process.kill(dir.postmaster() as number, 'SIGKILL')
        const other = createServer(socket => socket.destroy())
        await listenOn(other, port)
        try {
          service.signal('SIGCONT')
          const headers = { 'X-API-Key': key }
          while ((await fetch(`${url}/v1/partner/meta`, { headers })).status !== 200) await sleep(50)
          expect(dir.port()).not.toBe(port)
          expect((await fetch(`${url}/healthz`)).status).toBe(200)
          expect((await runJson(['keys', 'list'], env)).document.keys).toHaveLength(1)
          expect((await service.end('SIGTERM')).code).toBe(0)
        } finally {
          await new Promise(resolve => other.close(resolve))
        }
      },
    )

    test('that cannot be restarted makes /healthz report why, until it can', async () => {
      const service = new Command(['serve'], env)
      const url = await service.url()
      const health = async () => {
        const response = await fetch(`${url}/healthz`)
        return { status: response.status, text: await response.text() }
      }
      expect(await health()).toEqual({ status: 200, text: 'ok' })
      const version = join(dir.path, 'postgres', 'cluster', 'PG_VERSION')
      const content = readFileSync(version)
      writeFileSync(version, '9\n')
      process.kill(dir.postmaster() as number, 'SIGKILL')
      while ((await health()).status === 200) await sleep(50)
      const { status, text } = await health()
      expect([status, JSON.parse(text).error.message]).toEqual([
        503,
        'The embedded PostgreSQL has stopped and could not be restarted.',
      ])
      expect(service.stderr).toContain('PostgreSQL has stopped, and a restart failed: ')
      writeFileSync(version, content)
      while ((await health()).status !== 200 || (await fetchStatus(url)) !== 200) await sleep(50)
      expect((await service.end('SIGTERM')).code).toBe(0)
    })

    test('restores what a leaked reader login changed of itself', async () => {
      const service = new Command(['serve'], { ...env, POOL_SIZE: '1' })
      const url = await service.url()
      const { readerUrl, ownerUrl, leave } = await openEmbedded({ dataDir: dir.path, create: false })
      await query(readerUrl, `ALTER ROLE CURRENT_USER PASSWORD 'stolen'; ALTER ROLE CURRENT_USER SET search_path = ''`)
      const terminate = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'partner_metrics_reader'`
      while ((await fetch(`${url}/healthz`)).status === 200) {
        await query(ownerUrl, terminate)
        await fetchStatus(url)
      }
      await leave()
      const { error } = (await (await fetch(`${url}/healthz`)).json()) as { error: { message: string } }
      expect(error.message).toBe('The database refuses the login of the service.')
      expect((await run(['migrate'], env)).code).toBe(0)
      expect((await fetch(`${url}/healthz`)).status).toBe(200)
      expect(await fetchStatus(url)).toBe(200)
      expect((await service.end('SIGTERM')).code).toBe(0)
    })

    test('and its logins are left as they are by commands, which find no database where its creation was interrupted', async () => {
      const { ownerUrl, leave } = await openEmbedded({ dataDir: dir.path, create: false })
      try {
        const logins = () => query(ownerUrl, 'SELECT rolname, xmin FROM pg_authid ORDER BY 1')
        const before = await logins()
        expect((await run(['keys', 'list'], env)).code).toBe(0)
        expect(await logins()).toEqual(before)
        const server = Object.assign(new URL(ownerUrl), { pathname: 'postgres' }).href
        await query(server, 'DROP DATABASE partner_metrics')
        const { document } = await runJson(['keys', 'list'], env)
        expect(document.error.code).toBe('NO_DATABASE')
        expect(await query(server, "SELECT FROM pg_database WHERE datname = 'partner_metrics'")).toEqual([])
      } finally {
        await leave()
      }
    })

    test('gives a leaked reader login no way to other databases, locks, large objects or other connections', async () => {
      const { readerUrl, ownerUrl, leave } = await openEmbedded({ dataDir: dir.path, create: false })
      try {
        for (const database of ['postgres', 'template1']) {
          const url = Object.assign(new URL(readerUrl), { pathname: database }).href
          await expect(query(url, 'SELECT 1')).rejects.toThrow(/permission denied for database/)
        }
        for (const statement of [
          'SELECT lo_create(0)',
          'SELECT lo_creat(-1)',
          `SELECT lo_from_bytea(0, 'x')`,
          `SELECT lo_put(1, 0, 'x')`,
          `SELECT lo_import('/etc/hostname')`,
          'SELECT pg_advisory_lock(1)',
          'SELECT pg_try_advisory_xact_lock_shared(1, 1)',
          'SELECT pg_terminate_backend(pg_backend_pid())',
          'SELECT pg_cancel_backend(pg_backend_pid())',
          `SELECT pg_logical_emit_message(false, 'x', 'x')`,
          `SELECT pg_notify('x', 'x')`,
          'SELECT pg_current_xact_id()',
          'SELECT pg_export_snapshot()',
          'CREATE TEMPORARY TABLE t ()',
          'SELECT FROM locks FOR UPDATE',
          'BEGIN; LOCK TABLE knex_migrations_lock IN ACCESS SHARE MODE',
          `SET temp_file_limit = -1`,
          `ALTER ROLE CURRENT_USER SET temp_file_limit = -1`,
        ]) {
          await expect(query(readerUrl, statement)).rejects.toThrow(/permission denied/)
        }
        const [limits] = await query(
          ownerUrl,
          `SELECT rolconnlimit AS reader, current_setting('max_connections')::int AS all,
             current_setting('client_connection_check_interval') AS "checkInterval"
           FROM pg_roles WHERE rolname = 'partner_metrics_reader'`,
        )
        expect(limits).toEqual({ reader: 50, all: 100, checkInterval: '2s' })
      } finally {
        await leave()
      }
    })

    test('keeps the log of PostgreSQL small, which a leaked reader login cannot fill', async () => {
      const { readerUrl, ownerUrl, leave } = await openEmbedded({ dataDir: dir.path, create: false })
      const log = () => readFileSync(join(dir.path, 'postgres', 'postgres.log'), 'utf8')
      try {
        const before = log()
        await query(readerUrl, 'ALTER ROLE CURRENT_USER RESET ALL')
        await query(readerUrl, 'RESET ALL; SET debug_print_plan = on; SET trace_sort = on; SELECT 1 ORDER BY random()')
        expect(log()).toBe(before)
        for (const set of ['SET', 'ALTER ROLE CURRENT_USER SET', 'ALTER ROLE CURRENT_USER RESET']) {
          const value = set.endsWith('RESET') ? '' : "= 'log'"
          await expect(query(readerUrl, `${set} log_min_messages ${value}`)).rejects.toThrow(/permission denied/)
        }
        const write = (text: string) => query(ownerUrl, `DO $$ BEGIN RAISE LOG '${text}'; END $$`)
        for (let i = 0; i < 20; i++) await write('x'.repeat(2 ** 20))
        await write('the last line')
        await dir.until(() => log().length < 11 * 2 ** 20)
        await write('another line')
        expect(log()).toMatch(/the last line.*another line/s)
        expect(log()).not.toContain('\0')
      } finally {
        await leave()
      }
    })

    test.each(['PORT', 'ADMIN_PORT'])(
      'stops when the service does not start because its %s is in use',
      async setting => {
        const other = createServer()
        await new Promise<void>(resolve => other.listen(0, '127.0.0.1', resolve))
        const { port } = other.address() as AddressInfo
        const { code, stdout, stderr } = await run(['serve'], { ...env, [setting]: `${port}` })
        other.close()
        expect([code, stdout]).toEqual([1, ''])
        expect(stderr).toContain(`error: cannot listen on 127.0.0.1:${port} (${setting}): it is in use\n`)
        expect(dir.postmaster()).toBeUndefined()
      },
    )

    test('starts although its former process id belongs to another process', async () => {
      writeFileSync(join(dir.path, 'postgres', 'cluster', 'postmaster.pid'), `${process.pid}\n/\n0\n1\n\n\n\nready\n`)
      expect((await run(['migrate'], env)).code).toBe(0)
    })

    test('has logins for the service that own nothing and have no privileges beyond their task', async () => {
      const { readerUrl, writerUrl, ownerUrl, leave } = await openEmbedded({ dataDir: dir.path, create: false })
      try {
        for (const url of [readerUrl, writerUrl])
          expect(await withPool(url, { max: 1 }, readExcessPrivileges)).toEqual([])
        await expect(query(readerUrl, 'SELECT * FROM api_keys')).rejects.toThrow('permission denied')
        await expect(query(readerUrl, 'CREATE TABLE t ()')).rejects.toThrow('permission denied')
        const [settings] = await query(
          ownerUrl,
          `SELECT current_setting('listen_addresses') AS address, current_setting('unix_socket_directories') AS socket,
                current_setting('fsync') AS fsync, current_setting('server_encoding') AS encoding,
                datcollate AS collation FROM pg_database WHERE datname = current_database()`,
        )
        expect(settings).toEqual({ address: '127.0.0.1', socket: '', fsync: 'on', encoding: 'UTF8', collation: 'C' })
      } finally {
        await leave()
      }
      expect(statSync(join(dir.path, 'postgres', 'credentials.json')).mode & 0o777).toBe(0o600)
      expect(dir.postmaster()).toBeUndefined()
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

  describe('that does not exist yet', () => {
    beforeEach(() => use(new DataDir()))

    test('is created after an interrupted attempt, and stops when the service is stopped before it is ready', async () => {
      const home = join(dir.path, 'postgres')
      const interrupted = new Command(['migrate'], env)
      await dir.until(() => lstatSync(home, { throwIfNoEntry: false })?.isDirectory() === true)
      await dir.until(() => readdirSync(home).some(name => name.startsWith('unfinished-')))
      await interrupted.end('SIGKILL')
      expect(readdirSync(home)).not.toContain('cluster')
      const service = new Command(['serve'], env)
      await dir.until(() => dir.postmaster() !== undefined)
      const { code, stdout } = await service.end('SIGINT')
      expect([code, stdout]).toEqual([0, ''])
      expect(dir.postmaster()).toBeUndefined()
      expect((await run(['migrate'], env)).code).toBe(0)
      expect(readdirSync(home).sort()).toEqual(['cluster', 'credentials.json', 'postgres.log'])
    })

    test('starts once for services that start at the same time, and the last one to leave stops it', async () => {
      const services = [1, 2, 3].map(() => new Command(['serve'], env))
      const urls = await Promise.all(services.map(service => service.url()))
      for (const [i, service] of services.entries()) {
        expect(await fetchStatus(urls[i] as string)).toBe(200)
        expect((await service.end('SIGTERM')).code).toBe(0)
        expect(dir.postmaster() === undefined).toBe(i === 2)
      }
    })

    test('is created once by several commands at the same time', async () => {
      const migrated = await Promise.all([1, 2, 3, 4].map(() => runJson(['migrate'], env)))
      expect(migrated.map(({ code }) => code)).toEqual([0, 0, 0, 0])
      expect(migrated.filter(({ document }) => document.migrations.length > 0)).toHaveLength(1)
      expect(dir.postmaster()).toBeUndefined()
    })

    test.each([
      [['keys', 'list']],
      [['keys', 'issue', '--no-company']],
      [['import', 'companies', '-']],
      [['legacy-traffic']],
    ])('is not created by the command %j, which says where it looked', async args => {
      const { code, document } = await runJson(args, env)
      expect([code, document.error.code]).toEqual([1, 'NO_DATABASE'])
      expect(document.error.message).toContain(`there is no database in ${dir.path}: `)
      expect(document.error.message).toContain('`partner-metrics migrate`')
      expect(readdirSync(join(dir.path, '..'))).toEqual([])
    })
  })

  describe('whose directory cannot be used', () => {
    test.each([
      ['/proc/x'],
      ['/proc/x/y'],
      ['/dev/null'],
      ['/dev/null/x'],
      [join(tmpdir(), 'x'.repeat(300))],
      [join(tmpdir(), ...Array(100).fill('directories'))],
    ])('%s is reported at once', async path => {
      const migrated = await runJson(['migrate'], { DATA_DIR: path })
      expect([migrated.code, migrated.document.error.code]).toEqual([1, 'DATA_DIR_UNUSABLE'])
      const listed = await runJson(['keys', 'list'], { DATA_DIR: path })
      expect(listed.code).toBe(1)
      expect(['DATA_DIR_UNUSABLE', 'NO_DATABASE']).toContain(listed.document.error.code)
    })
  })

  test('a command that waits for another process ends at SIGTERM', async () => {
    use(made.copy())
    const lock = join(dir.path, 'postgres', 'lock')
    mkdirSync(lock)
    const future = Date.now() / 1000 + 3_600
    utimesSync(lock, future, future)
    const waiting = new Command(['keys', 'list'], env)
    const started = Date.now()
    // Its own PostgreSQL cannot have started, so nothing else shows that it waits.
    while (Date.now() - started < 2_000) await new Promise(setImmediate)
    const { code, stderr } = await waiting.end('SIGTERM')
    expect([code, stderr]).toEqual([1, 'error: interrupted by SIGTERM\n'])
    rmSync(lock, { recursive: true })
    expect((await run(['keys', 'list'], env)).code).toBe(0)
  })

  const asRoot = process.getuid?.() === 0 ? test : test.skip
  asRoot(
    'is stored elsewhere, and found again, when root starts it in a directory that its account may not enter',
    async () => {
      const closed = new DataDir(0o700)
      const env = { DATA_DIR: closed.path }
      try {
        const migrated = await run(['migrate'], env)
        expect(migrated.code).toBe(0)
        expect(migrated.stderr).toMatch(
          /^PostgreSQL cannot reach .*: its data is stored in \/var\/lib\/partner-metrics\/data-\w+\n$/,
        )
        expect(realpathSync(join(closed.path, 'postgres'))).toMatch(/^\/var\/lib\/partner-metrics\/data-/)
        const listed = await run(['keys', 'list', '--json'], env)
        expect(JSON.parse(listed.stdout).keys).toEqual([])
        expect(listed.stderr).toBe('')
        expect(closed.postmaster()).toBeUndefined()
      } finally {
        await closed.dispose()
      }
    },
  )
})
