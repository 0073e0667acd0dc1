import { Client } from 'pg'
import { Command, type Env, run, runJson } from '../support/command'
import { createDatabase, settingsOf, type TestDatabase } from '../support/databases'
import { send } from '../support/service'

jest.setTimeout(60_000)

describe('the command serve', () => {
  let database: TestDatabase
  let env: Env
  beforeAll(async () => {
    database = await createDatabase()
    env = settingsOf(database)
  })
  afterAll(() => database.drop())

  describe('of one service', () => {
    let service: Command
    let url: string
    beforeAll(async () => {
      service = new Command(['serve'], env)
      url = await service.url()
    })

    test('has metrics for Prometheus on the other port alone', async () => {
      const metrics = JSON.parse(service.stderr.split('\n')[0] as string).metrics
      const { status, text } = await send(metrics)
      expect(status).toBe(200)
      expect(text).toContain('process_cpu_user_seconds_total')
      expect((await send(`${url}/metrics`)).status).toBe(404)
      expect((await send(new URL('/v1/partner/meta', metrics).href)).status).toBe(404)
    })

    test.each(['/docs', '/docs/migration', '/docs/changelog', '/docs/operations', '/explorer'])(
      'has the page %s, and whatever it names of its own',
      async page => {
        const { status, headers, text } = await send(url + page)
        expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
        const files = [...text.matchAll(/<(?:script|link) [^>]*?(?:src|href)="(?!data:)([^"]+)"/g)]
        expect(files).not.toEqual([])
        for (const [, file] of files) expect((await send(new URL(file as string, url + page).href)).status).toBe(200)
      },
    )

    test('answers what it has accepted, accepts nothing more, and ends', async () => {
      const { key } = (await runJson(['keys', 'issue', '--no-company'], env)).document
      const blocker = new Client({ connectionString: database.ownerUrl })
      await blocker.connect()
      await blocker.query('BEGIN; LOCK TABLE companies IN ACCESS EXCLUSIVE MODE')
      const response = send(`${url}/v1/partner/meta`, { key })
      const isWaiting = `SELECT FROM pg_locks WHERE relation = 'companies'::regclass AND NOT granted`
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

    test('said where it listens in one line on stdout, and all else on stderr', async () => {
      const { stdout, stderr } = await service.ended
      expect(stdout).toBe(`listening on ${url}\n`)
      const said = stderr
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line).msg)
      expect(said.filter(msg => msg !== 'request')).toEqual(['started', 'stopping', 'stopped'])
      expect([said[0], said.at(-1)]).toEqual(['started', 'stopped'])
      expect(said).toContain('request')
    })
  })

  test('cuts what takes longer than SHUTDOWN_TIMEOUT_MS to answer', async () => {
    const { key } = (await runJson(['keys', 'issue', '--no-company'], env)).document
    const service = new Command(['serve'], { ...env, SHUTDOWN_TIMEOUT_MS: '1', STATEMENT_TIMEOUT_MS: '1000' })
    const url = await service.url()
    const blocker = new Client({ connectionString: database.ownerUrl })
    await blocker.connect()
    await blocker.query('BEGIN; LOCK TABLE companies IN ACCESS EXCLUSIVE MODE')
    const response = send(`${url}/v1/partner/meta`, { key }).catch(error => error.code)
    const isWaiting = `SELECT FROM pg_locks WHERE relation = 'companies'::regclass AND NOT granted`
    while ((await blocker.query(isWaiting)).rowCount === 0);
    expect((await service.end('SIGTERM')).code).toBe(0)
    expect(await response).toBe('ECONNRESET')
    await blocker.end()
  })

  test('leaves a database alone that a later version has brought further', async () => {
    const further = await createDatabase()
    const owner = new Client({ connectionString: further.ownerUrl })
    try {
      await owner.connect()
      await owner.query(
        `INSERT INTO knex_migrations (name, batch, migration_time) VALUES ('9999-still-better', 9, now())`,
      )
      const { code, document } = await runJson(['migrate'], settingsOf(further))
      expect([code, document.error.code]).toEqual([1, 'DATABASE_NEWER'])
      expect(document.error.message).toMatch(/9999-still-better/)
    } finally {
      await owner.end()
      await further.drop()
    }
  })

  test('warns when it has no login but the owner’s to read with, or to count legacy calls with', async () => {
    const service = new Command(['serve'], { DATABASE_URL: database.ownerUrl })
    await service.url()
    const { stderr } = await service.end('SIGTERM')
    expect(stderr).toContain(
      'warning: READER_DATABASE_URL is missing: the service reads with the login of DATABASE_URL',
    )
    expect(stderr).toContain('warning: WRITER_DATABASE_URL is missing: the service counts legacy calls with the login')
  })

  test.each(['READER_DATABASE_URL', 'WRITER_DATABASE_URL'])(
    'does not start with a %s whose login may more than its work, or cannot log in',
    async setting => {
      const { code, stdout, stderr } = await run(['serve'], { ...env, [setting]: database.ownerUrl })
      expect([code, stdout]).toEqual([1, ''])
      expect(stderr).toMatch(new RegExp(`^error: ${setting}: its login is a superuser, .*; the service \\w+ `, 'm'))
      const wrong = new URL(database.readerUrl)
      wrong.port = '1'
      const away = await run(['serve'], { ...env, [setting]: wrong.href })
      expect([away.code, away.stdout]).toEqual([1, ''])
      expect(away.stderr).toMatch(new RegExp(`^error: ${setting}: its login cannot log in: .*ECONNREFUSED`, 'm'))
    },
  )
})
