import { lstatSync, readdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { Client } from 'pg'
import { openEmbedded } from '../../../db/embedded/embedded-cluster'
import { readExcessPrivileges } from '../../../db/logins'
import { withPool } from '../../../db/postgres/pool'
import { Command, DataDir, type Env, run, runJson } from '../../support/command'

jest.setTimeout(120_000)

const statusOf = async (url: string): Promise<number> => (await fetch(`${url}/readyz`)).status

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
  const work = (place: DataDir) => {
    dir = place
    env = { DATA_DIR: dir.path }
  }
  beforeAll(async () => {
    made = await DataDir.migrated()
  })
  afterAll(() => made.dispose())
  afterEach(() => dir.dispose())

  describe('that is there already', () => {
    beforeEach(() => work(made.copy()))

    test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
      'ends in good order when the service gets %s, even often',
      async signal => {
        const service = new Command(['serve'], env)
        expect(await statusOf(await service.url())).toBe(200)
        expect(dir.postmaster()).toBeDefined()
        for (let i = 0; i < 3; i++) service.signal(signal)
        expect((await service.end('SIGTERM')).code).toBe(0)
        expect(dir.postmaster()).toBeUndefined()
        // The last word of PostgreSQL's log comes after it has given its directory back.
        const log = () => readFileSync(join(dir.path, 'postgres', 'postgres.log'), 'utf8')
        await dir.until(() => log().includes('database system is shut down'))
      },
    )

    test('outlives a service that is killed, is taken over by the next, and starts again when both were, with all that it held', async () => {
      const killed = new Command(['serve'], env)
      await killed.url()
      const pid = dir.postmaster()
      await killed.end('SIGKILL')
      expect(dir.postmaster()).toBe(pid)
      const next = new Command(['serve'], env)
      expect(await statusOf(await next.url())).toBe(200)
      expect(dir.postmaster()).toBe(pid)
      const { id } = (await runJson(['keys', 'issue', '--no-company'], env)).document
      await Promise.all([next.end('SIGKILL'), process.kill(pid as number, 'SIGKILL')])
      const { document } = await runJson(['keys', 'list'], env)
      expect(document.keys).toMatchObject([{ id }])
      expect(dir.postmaster()).toBeUndefined()
    })

    test('serves commands beside a running service, and comes back under it when it is killed', async () => {
      const service = new Command(['serve'], env)
      const url = await service.url()
      const { key } = (await runJson(['keys', 'issue', '--no-company'], env)).document
      const answer = await fetch(`${url}/v1/partner/meta`, { headers: { 'X-API-Key': key } })
      expect(await answer.json()).toEqual({ version: 'v1', companies: [] })
      process.kill(dir.postmaster() as number, 'SIGKILL')
      let status: number
      do status = await statusOf(url)
      while (status !== 200)
      expect((await service.end('SIGTERM')).code).toBe(0)
      expect(dir.postmaster()).toBeUndefined()
    })

    test.each(['PORT', 'ADMIN_PORT'])('is left by a service whose %s is in use, which names it', async setting => {
      const other = createServer()
      await new Promise<void>(resolve => other.listen(0, '127.0.0.1', resolve))
      const { port } = other.address() as AddressInfo
      const { code, stdout, stderr } = await run(['serve'], { ...env, [setting]: `${port}` })
      other.close()
      expect([code, stdout]).toEqual([1, ''])
      expect(stderr).toContain(`error: cannot listen on 127.0.0.1:${port} (${setting}): it is in use\n`)
      expect(dir.postmaster()).toBeUndefined()
    })

    test('starts although its number was given to another process meanwhile', async () => {
      writeFileSync(join(dir.path, 'postgres', 'cluster', 'postmaster.pid'), `${process.pid}\n/\n0\n1\n\n\n\nready\n`)
      expect((await run(['migrate'], env)).code).toBe(0)
    })

    test('lets the service work with logins that own nothing and are nobody', async () => {
      const { readerUrl, writerUrl, ownerUrl, leave } = await openEmbedded({ dataDir: dir.path })
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

    test('gets a login for counting legacy calls where it was made before there was one', async () => {
      const file = join(dir.path, 'postgres', 'credentials.json')
      const { writer: _, ...older } = JSON.parse(readFileSync(file, 'utf8'))
      const { ownerUrl, leave } = await openEmbedded({ dataDir: dir.path })
      await query(ownerUrl, 'DROP OWNED BY partner_metrics_writer; DROP ROLE partner_metrics_writer')
      await leave()
      writeFileSync(file, JSON.stringify(older))
      expect((await run(['migrate'], env)).code).toBe(0)
      expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
        ...older,
        writer: expect.stringMatching(/^[0-9a-f]{48}$/),
      })
      const upgraded = await openEmbedded({ dataDir: dir.path })
      expect(await query(upgraded.writerUrl, `SELECT count_legacy_calls('{}', '{}', '{}', '{}')`)).toHaveLength(1)
      await upgraded.leave()
    })

    test('is named when what it needs was lost', async () => {
      writeFileSync(join(dir.path, 'postgres', 'cluster', 'PG_VERSION'), '9\n')
      const broken = await runJson(['migrate'], env)
      expect(broken).toMatchObject({ code: 1, document: { error: { code: 'DATABASE_NOT_STARTED' } } })
      expect(broken.document.error.message).toContain('incompatible with server')
    })
  })

  describe('that is not there yet', () => {
    beforeEach(() => work(new DataDir()))

    test('is made anew when making it was interrupted, and left by a service that is to end before it is ready', async () => {
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

    test('starts once for many who come at once, and the last to leave stops it', async () => {
      const services = [1, 2, 3].map(() => new Command(['serve'], env))
      const urls = await Promise.all(services.map(service => service.url()))
      for (const [i, service] of services.entries()) {
        expect(await statusOf(urls[i] as string)).toBe(200)
        expect((await service.end('SIGTERM')).code).toBe(0)
        expect(dir.postmaster() === undefined).toBe(i === 2)
      }
    })

    test('is joined and left by many commands at once, each of which does its work', async () => {
      const issued = await Promise.all([1, 2, 3, 4].map(() => runJson(['keys', 'issue', '--no-company'], env)))
      expect(issued.map(({ code }) => code)).toEqual([0, 0, 0, 0])
      expect(dir.postmaster()).toBeUndefined()
      expect((await runJson(['keys', 'list'], env)).document.keys).toHaveLength(4)
    })
  })

  const asRoot = process.getuid?.() === 0 ? test : test.skip
  asRoot('is kept elsewhere, and found again, when root starts it where its own user may not go', async () => {
    const closed = new DataDir(0o700)
    const env = { DATA_DIR: closed.path }
    try {
      const issued = await run(['keys', 'issue', '--no-company'], env)
      expect(issued.code).toBe(0)
      expect(issued.stderr).toMatch(
        /^PostgreSQL cannot reach .*: its data is kept in \/var\/lib\/partner-metrics\/data-\w+\n$/,
      )
      expect(realpathSync(join(closed.path, 'postgres'))).toMatch(/^\/var\/lib\/partner-metrics\/data-/)
      const listed = await run(['keys', 'list', '--json'], env)
      expect(JSON.parse(listed.stdout).keys).toHaveLength(1)
      expect(listed.stderr).toBe('')
      expect(closed.postmaster()).toBeUndefined()
    } finally {
      await closed.dispose()
    }
  })
})
