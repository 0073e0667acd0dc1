import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { Command, DataDir, run } from '../support/command'
import { createDatabase, settingsOf, type TestDatabase } from '../support/databases'
import { send } from '../support/http'
import { type Env, runJson } from '../support/in-process'
import { startWhileLocked } from '../support/start-while-locked'

jest.setTimeout(60_000)

describe('the command serve', () => {
  let database: TestDatabase
  let env: Env
  beforeAll(async () => {
    database = await createDatabase()
    env = settingsOf(database)
  })
  afterAll(() => database.drop())

  describe('with one process', () => {
    let service: Command
    let url: string
    let response: Promise<string>
    beforeAll(async () => {
      // To render the first page takes seconds on a busy machine, after which the service would warn and shed requests.
      const settings = { CONNECT_TIMEOUT_MS: '30000', MAX_EVENT_LOOP_DELAY_MS: '60000' }
      ;({ service, response } = await startWhileLocked({ ...env, ...settings }))
      url = await service.url()
    })

    test('answers requests that came while it was starting', async () => {
      expect(await response).toMatch(/^HTTP\/1.1 200 /)
    })

    test('serves metrics on the admin port only, and nothing else there', async () => {
      const [, metrics = ''] = /"metrics":"(.*?)"/.exec(service.stderr) ?? []
      const { status, text } = await send(metrics)
      expect(status).toBe(200)
      expect(text).toContain('process_cpu_user_seconds_total')
      expect((await send(`${url}/metrics`)).status).toBe(404)
      expect((await send(new URL('/v1/partner/meta', metrics).href)).status).toBe(404)
    })

    test.each(['/docs', '/docs/migration', '/docs/changelog', '/docs/operations', '/explorer'])(
      'serves the page %s with its scripts and styles',
      async page => {
        const { status, headers, text } = await send(url + page)
        expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
        const files = [...text.matchAll(/<(?:script|link) [^>]*?(?:src|href)="(?!data:)([^"]+)"/g)]
        expect(files).not.toEqual([])
        for (const [, file] of files) expect((await send(new URL(file as string, url + page).href)).status).toBe(200)
      },
    )

    test('on SIGTERM refuses connections, finishes the requests that it accepted, and exits', async () => {
      const { key } = (await runJson(['keys', 'issue', '--no-company'], env)).document
      const blocker = new Client({ connectionString: database.ownerUrl })
      await blocker.connect()
      await blocker.query('BEGIN; LOCK TABLE companies IN ACCESS EXCLUSIVE MODE')
      const response = send(`${url}/v1/partner/meta`, { key })
      const isWaiting = `SELECT FROM pg_locks WHERE relation = 'companies'::regclass AND NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
      while ((await blocker.query(isWaiting)).rowCount === 0);
      service.signal('SIGTERM')
      let refused = false
      while (!refused)
        refused = await send(`${url}/healthz`)
          .then(() => false)
          .catch(() => true)
      await blocker.query('COMMIT')
      await blocker.end()
      expect((await response).status).toBe(200)
      expect((await service.ended).code).toBe(0)
    })

    test('printed its URL on stdout, and its log on stderr', async () => {
      const { stdout, stderr } = await service.ended
      expect(stdout).toBe(`listening on ${url}\n`)
      const messages = stderr
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line).msg)
      expect(messages.filter(msg => msg !== 'request')).toEqual(['started', 'stopping', 'stopped'])
      expect(messages).toContain('request')
      expect(messages.at(-1)).toBe('stopped')
    })
  })

  test('cuts off requests that take longer than SHUTDOWN_TIMEOUT_MS, and warns of missing logins', async () => {
    const { key } = (await runJson(['keys', 'issue', '--no-company'], env)).document
    const service = new Command(['serve'], {
      DATABASE_URL: database.ownerUrl,
      SHUTDOWN_TIMEOUT_MS: '1',
      STATEMENT_TIMEOUT_MS: '1000',
    })
    const url = await service.url()
    const blocker = new Client({ connectionString: database.ownerUrl })
    await blocker.connect()
    await blocker.query('BEGIN; LOCK TABLE companies IN ACCESS EXCLUSIVE MODE')
    const response = send(`${url}/v1/partner/meta`, { key }).catch(error => error.code)
    const isWaiting = `SELECT FROM pg_locks WHERE relation = 'companies'::regclass AND NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
    while ((await blocker.query(isWaiting)).rowCount === 0);
    const { code, stderr } = await service.end('SIGTERM')
    expect([code, await response]).toEqual([0, 'ECONNRESET'])
    await blocker.end()
    for (const [login, purpose] of [
      ['READER', 'reads'],
      ['WRITER', 'counts legacy calls'],
    ])
      expect(stderr).toContain(
        `warning: ${login}_DATABASE_URL is missing: the service ${purpose} with the login of DATABASE_URL`,
      )
  })

  const UNKNOWN = /^error: the process ended before its command did: .*\n$/
  test.each([
    ['the event loop has nothing left to wait for', 'function () { return this }', UNKNOWN],
    ['a package ends the process', '() => process.exit(0)', UNKNOWN],
    ['a module cannot be loaded', "0; require('node:module')._load = () => { throw new Error('lost') }", /lost/],
    ['nothing handles an error', "() => void Promise.reject(new Error('lost'))", /^error: unexpected error: lost\n$/],
    ['nothing handles a rejection without one', '() => void Promise.reject(null)', /^error: unexpected error: null\n$/],
  ])('does not end without a word before it listens: %s', async (_, listen, message) => {
    const folder = mkdtempSync(join(tmpdir(), 'serve-'))
    const file = join(folder, 'preload.js')
    writeFileSync(file, `require('node:net').Server.prototype.listen = ${listen}`)
    const { code, stdout, stderr } = await run(['serve'], { ...env, NODE_OPTIONS: `--require ${file}` })
    rmSync(folder, { recursive: true })
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(message)])
  })

  test.each(['PORT', 'ADMIN_PORT'])('finds a %s in use before it creates a database', async setting => {
    const other = createServer()
    await new Promise<void>(resolve => other.listen(0, '127.0.0.1', resolve))
    const { port } = other.address() as AddressInfo
    const dir = new DataDir()
    const settings = { DATA_DIR: dir.path, METRICS_ENV: 'dev', [setting]: `${port}` }
    const { code, stdout, stderr } = await run(['serve'], settings)
    other.close()
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toBe(`error: cannot listen on 127.0.0.1:${port} (${setting}): it is in use\n`)
    expect(existsSync(dir.path)).toBe(false)
    await dir.dispose()
  })

  test.each([
    ['203.0.113.5', /^error: cannot listen on 203\.0\.113\.5:\d+ \(HOST\): .*EADDRNOTAVAIL/],
    ['nowhere.invalid', /^error: cannot listen on nowhere\.invalid:\d+ \(HOST\): getaddrinfo /],
  ])('names the setting of an address that the machine does not have: %s', async (host, message) => {
    const { code, stderr } = await run(['serve'], { ...settingsOf(database), HOST: host })
    expect([code, stderr]).toEqual([1, expect.stringMatching(message)])
  })

  test('refuses a database that a later version has migrated', async () => {
    const newer = await createDatabase()
    const owner = new Client({ connectionString: newer.ownerUrl })
    try {
      await owner.connect()
      await owner.query(
        `INSERT INTO knex_migrations (name, batch, migration_time) VALUES ('9999_still-better', 9, now())`,
      )
      const { code, document } = await runJson(['migrate'], settingsOf(newer))
      expect([code, document.error.code]).toEqual([1, 'DATABASE_NEWER'])
      expect(document.error.message).toMatch(/9999_still-better/)
    } finally {
      await owner.end()
      await newer.drop()
    }
  })

  test.each(['READER_DATABASE_URL', 'WRITER_DATABASE_URL'])(
    'does not start with a %s whose login has too many privileges or does not work',
    async setting => {
      const { code, stdout, stderr } = await run(['serve'], { ...env, [setting]: database.ownerUrl })
      expect([code, stdout]).toEqual([1, ''])
      expect(stderr).toMatch(new RegExp(`^error: ${setting}: its login is a superuser, .*; the service \\w+ `, 'm'))
      const wrong = new URL(database.readerUrl)
      wrong.port = '1'
      const unreachable = await run(['serve'], { ...env, [setting]: wrong.href })
      expect([unreachable.code, unreachable.stdout]).toEqual([1, ''])
      expect(unreachable.stderr).toMatch(new RegExp(`^error: ${setting}: its login cannot log in: .*ECONNREFUSED`, 'm'))
    },
  )
})
