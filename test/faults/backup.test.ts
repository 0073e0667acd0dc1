import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
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
import { send } from '../support/http'

jest.setTimeout(180_000)

const PAGE = readFileSync(join(__dirname, '..', '..', 'docs', 'operations.md'), 'utf8')

/** Returns the code blocks of the page under a heading. */
const findCommands = (heading: string, language = 'sh'): string[] => {
  const [, section = ''] = new RegExp(`^### ${heading}\\n([\\s\\S]*?)(?=^#|(?![\\s\\S]))`, 'm').exec(PAGE) ?? []
  return [...section.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(
    ([, block]) => block as string,
  )
}

/** The directory of a PostgreSQL with pg_dump, if one is installed. */
const SERVERS = '/usr/lib/postgresql'
const bin = (existsSync(SERVERS) ? readdirSync(SERVERS) : [])
  .map(version => join(SERVERS, version, 'bin'))
  .find(path => ['initdb', 'postgres', 'pg_dump', 'pg_restore'].every(name => existsSync(join(path, name))))

if (!bin) console.warn('no PostgreSQL with pg_dump is installed: skipping its backup')

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

const TABLES = ['companies', 'assets', 'sensors', 'sensor_days', 'origins', 'demographic_days', 'api_keys', 'service']

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
    const [sql] = findCommands('A leaked reader login', 'sql') as [string]
    const superuser = new Client({ connectionString: `postgres://postgres:secret@127.0.0.1:${port}/metrics` })
    await superuser.connect()
    await superuser.query(sql)
    await superuser.end()
  }

  test('restores all rows, keys and cursors', async () => {
    const [dump, restore] = findCommands('External PostgreSQL') as [string, string]
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
      const [backup, restore] = findCommands('Embedded PostgreSQL') as [string, string]
      const service = new Command(['serve'], env)
      await service.url()
      expect(() => runBlock(backup, join(cwd, 'work'), {})).toThrow('Command failed')
      expect(existsSync(join(cwd, 'work', 'metrics.tar.gz'))).toBe(false)
      await run(['keys', 'issue', '--no-company', '--label', 'backed up'], env)
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
      // Cursors of the feed from before are no longer valid.
      expect(readEpoch()).not.toBe(epoch)
    } finally {
      await dir.dispose()
    }
  })

  test('which contains all files is recognised by cursors that have seen more', async () => {
    const dir = new DataDir()
    const env = { DATA_DIR: dir.path }
    const importRows = async (kind: string, ...rows: string[]) => {
      const file = join(dir.path, '..', `${kind}.csv`)
      writeFileSync(file, rows.join('\n'))
      expect(await run(['import', kind, file], env)).toMatchObject({ code: 0 })
    }
    const count = (date: string) => importRows('impressions', 'sensor,start,impressions', `SN-1,${date},5`)
    const copy = (from: string, to: string) => {
      rmSync(to, { recursive: true, force: true })
      execFileSync('cp', ['-a', from, to])
    }
    try {
      await run(['migrate'], env)
      await importRows('companies', 'id,name', 'companyalder,Alder Ltd')
      await importRows('vendors', 'id,name,own,finest_grain', 'vendorcountbox,CountBox,false,day')
      await importRows(
        'assets',
        'legacy_id,company_id,name,media_type,format,latitude,longitude,country,time_zone',
        '101,companyalder,Alder 101,digital,billboard,1,1,GB,Etc/UTC',
      )
      await importRows('sensors', 'serial,model,vendor_id,asset_id,installed_at', 'SN-1,M,CountBox,101,2026-01-01')
      const { key } = (await runJson(['keys', 'issue', '--company', 'companyalder'], env)).document
      const follow = async (...cursors: string[]) => {
        const service = new Command(['serve'], env)
        const url = `${await service.url()}/v1/partner/changes?limit=500`
        const pages = []
        for (const cursor of cursors) pages.push((await send(`${url}&cursor=${cursor}`, { key })).body)
        if (cursors.length === 0) pages.push((await send(url, { key })).body)
        await service.end('SIGTERM')
        return pages
      }
      const [known] = await follow()
      copy(dir.path, `${dir.path} of yesterday`)
      await count('2026-01-05')
      const [seen] = await follow(known.pagination.cursor)
      expect(seen.data).toHaveLength(1)
      copy(`${dir.path} of yesterday`, dir.path)
      for (const date of ['2026-02-06', '2026-03-07', '2026-04-08']) await count(date)
      for (let i = 0; i < 3; i++) await run(['list', 'keys'], env)
      const [now, refused] = await follow(known.pagination.cursor, seen.pagination.cursor)
      expect(refused.error.code).toBe('RESYNC_REQUIRED')
      // Nothing is missing of what this reader has, and it misses nothing.
      const days = now.data.map(({ from_date }: { from_date: string }) => from_date)
      expect(days).toEqual(['2026-02-06', '2026-03-07', '2026-04-08'])
      // As the page recommends.
      rmSync(join(dir.path, 'epoch'))
      const [renewed] = await follow(now.pagination.cursor)
      expect(renewed.error.code).toBe('RESYNC_REQUIRED')
    } finally {
      await dir.dispose()
    }
  })
})
