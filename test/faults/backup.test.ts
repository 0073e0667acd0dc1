import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { Client } from 'pg'
import { accountFor } from '../../db/embedded/account'
import { initdb } from '../../db/embedded/initdb'
import { findPostmaster, stopPostmaster } from '../../db/embedded/postmaster'
import { startServer } from '../../db/embedded/start-server'
import { withPool } from '../../db/postgres/pool'
import { type DemoKey, loadDemo } from '../../imports/demo/load'
import { MAIN } from '../support/build'
import { Command, DataDir, type Env, run, runJson } from '../support/command'
import { codeBlocks, findPostgres } from '../support/debian'
import { send } from '../support/http'

jest.setTimeout(180_000)

const bin = findPostgres('initdb', 'postgres', 'pg_dump', 'pg_restore')

/** Runs a code block of the page with the built command line. */
function runBlock(block: string, cwd: string, env: Env): void {
  const command = `partner-metrics() { "${process.execPath}" "${MAIN}" "$@"; }\n`
  const PATH = [bin, process.env.PATH].filter(Boolean).join(delimiter)
  execFileSync('bash', ['-euc', command + block], {
    cwd,
    env: { METRICS_ENV: 'production', ...env, PATH },
    stdio: 'pipe',
  })
}

const TABLES = [
  'companies',
  'assets',
  'sensors',
  'sensor_days',
  'origin_days',
  'demographic_days',
  'api_keys',
  'service',
]

async function readCounts(url: string): Promise<unknown> {
  const client = new Client({ connectionString: url })
  await client.connect()
  const selected = TABLES.map(table => `(SELECT count(*) FROM ${table}) AS ${table}`)
  const { rows } = await client.query(`SELECT ${selected.join(', ')}`)
  await client.end()
  return rows[0]
}

const describeDump = bin ? describe : describe.skip

describeDump('a backup of an external PostgreSQL', () => {
  const home = mkdtempSync(join(tmpdir(), 'partner-metrics-backup-'))
  let port: number
  let admin: Client
  beforeAll(async () => {
    chmodSync(home, 0o711)
    const account = accountFor(join(home, 'cluster'))
    await initdb(home, bin as string, account, 'secret', false)
    await startServer(home, bin as string, account, { fsync: 'off' }, 0)
    port = findPostmaster(home)?.port as number
    admin = new Client({ connectionString: `postgres://postgres:secret@127.0.0.1:${port}/postgres` })
    await admin.connect()
    for (const login of ['metrics', 'metrics_reader', 'metrics_writer']) {
      await admin.query(`CREATE ROLE ${login} LOGIN PASSWORD 'secret'`)
    }
    for (const database of ['metrics', 'restored']) {
      await admin.query(`CREATE DATABASE ${database} OWNER metrics ENCODING UTF8 TEMPLATE template0`)
    }
  })
  afterAll(async () => {
    await admin?.end()
    await stopPostmaster(home)
    rmSync(home, { recursive: true, force: true })
  })

  const envOf = (database: string): Env => {
    const url = (login: string) => `postgres://${login}:secret@127.0.0.1:${port}/${database}`
    return {
      DATABASE_URL: url('metrics'),
      READER_DATABASE_URL: url('metrics_reader'),
      WRITER_DATABASE_URL: url('metrics_writer'),
    }
  }

  /** Returns the statements that the page recommends against a leaked reader login. */
  const revokeFromLogins = async () => {
    const [sql] = codeBlocks('A leaked reader login', 'sql') as [string]
    const superuser = new Client({ connectionString: `postgres://postgres:secret@127.0.0.1:${port}/metrics` })
    await superuser.connect()
    await superuser.query(sql)
    await superuser.end()
  }

  test('restores all rows, keys and cursors', async () => {
    const [dump, restore] = codeBlocks('External PostgreSQL') as [string, string]
    const [old, restored] = [envOf('metrics'), envOf('restored')]
    const dev = { METRICS_ENV: 'dev' }
    await run(['migrate'], old)
    const demo = await withPool(old.DATABASE_URL as string, { max: 2 }, pool =>
      loadDemo(pool, 'dev', Date.now() / 1000, 4),
    )
    const { key } = demo.keys[0] as DemoKey
    const path = '/v1/partner/assets?limit=2'
    const read = async (env: Env, page: string) => {
      const service = new Command(['serve'], { ...env, ...dev })
      const response = await send((await service.url()) + page, { key })
      expect((await service.end('SIGTERM')).stderr).not.toContain('warning')
      return response
    }
    const before = await read(old, path)
    const feed = await read(old, '/v1/partner/changes')
    await revokeFromLogins()
    runBlock(dump, home, old)
    runBlock(restore, home, restored)
    expect(await readCounts(restored.DATABASE_URL as string)).toEqual(await readCounts(old.DATABASE_URL as string))
    const after = await read(restored, path)
    expect([after.status, after.text]).toEqual([200, before.text])
    const next = await read(restored, `${path}&cursor=${before.body.pagination.cursor}`)
    expect([next.status, next.body.data.length]).toEqual([200, 2])
    const followed = await read(restored, `/v1/partner/changes?cursor=${feed.body.pagination.cursor}`)
    expect([followed.status, followed.body.error?.code]).toEqual([410, 'RESYNC_REQUIRED'])
  })

  test('keeps row-level security: the reader reads nothing without a key, and writes nothing', async () => {
    const reader = new Client({ connectionString: envOf('restored').READER_DATABASE_URL as string })
    await reader.connect()
    expect((await reader.query('SELECT FROM assets')).rowCount).toBe(0)
    await expect(reader.query('SELECT FROM api_keys')).rejects.toThrow('permission denied')
    await reader.query('SET default_transaction_read_only = off')
    await expect(reader.query('DELETE FROM assets')).rejects.toThrow('permission denied')
    await reader.end()
    const { rows } = await admin.query('SELECT datacl::text AS acl FROM pg_database WHERE datname = $1', ['restored'])
    expect(rows[0].acl).not.toMatch(/[{,]=[^,]*T/)
  })
})

describe('a backup of the embedded PostgreSQL', () => {
  test('is a copy of its files that restores everything, and fails while the service is running', async () => {
    const dir = new DataDir()
    const cwd = join(dir.path, '..')
    mkdirSync(join(cwd, 'work'))
    const env = { DATA_DIR: join(cwd, 'work', '.data') }
    const readEpoch = () => readFileSync(join(env.DATA_DIR, 'epoch'), 'utf8')
    try {
      const [backup, restore] = codeBlocks('Embedded PostgreSQL') as [string, string]
      const service = new Command(['serve'], env)
      const feed = `${await service.url()}/v1/partner/changes`
      expect(() => runBlock(backup, join(cwd, 'work'), {})).toThrow('Command failed')
      expect(existsSync(join(cwd, 'work', 'metrics.tar.gz'))).toBe(false)
      const { key } = (await runJson(['keys', 'issue', '--no-company', '--label', 'backed up'], env)).document
      const { cursor } = (await send(feed, { key })).body.pagination
      await service.end('SIGTERM')
      const before = (await runJson(['list', 'keys'], env)).document
      const epoch = readEpoch()
      await run(['list', 'keys'], env)
      expect(readEpoch()).toBe(epoch)
      runBlock(backup, join(cwd, 'work'), {})
      rmSync(env.DATA_DIR, { recursive: true })
      runBlock(restore, join(cwd, 'work'), {})
      expect((await runJson(['list', 'keys'], env)).document).toEqual(before)
      expect(before.rows).toHaveLength(1)
      expect(readEpoch()).not.toBe(epoch)
      const restored = new Command(['serve'], env)
      const { body } = await send(`${await restored.url()}/v1/partner/changes?cursor=${cursor}`, { key })
      expect(body.error.code).toBe('RESYNC_REQUIRED')
      expect((await restored.end('SIGTERM')).code).toBe(0)
    } finally {
      await dir.dispose()
    }
  })
})
