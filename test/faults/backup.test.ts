/** The backups of the operations page, whose code blocks are run: a dump of an external PostgreSQL, and a copy of the embedded one's files. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { Client } from 'pg'
import { withPool } from '../../db/postgres/pool'
import { type DemoKey, loadDemo } from '../../imports/demo/load'
import { MAIN } from '../support/build'
import { Command, DataDir, type Env, run, runJson } from '../support/command'
import { codeBlocks, findPostgres } from '../support/debian'
import { send } from '../support/http'
import { Server } from './server'

jest.setTimeout(180_000)

const bin = findPostgres('pg_dump', 'pg_restore')

/** Runs a code block of the page with the built command line. */
function runBlock(block: string, cwd: string, env: Env): void {
  const command = `partner-metrics() { "${process.execPath}" "${MAIN}" "$@"; }\n`
  const PATH = [bin, process.env.PATH].filter(Boolean).join(delimiter)
  const settings = { METRICS_ENV: 'production', ...env, PATH }
  execFileSync('bash', ['-euc', command + block], { cwd, env: settings, stdio: 'pipe' })
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

;(bin ? test : test.skip)(
  'a dump of an external PostgreSQL restores all rows, keys and cursors of lists, and row-level security',
  async () => {
    const server = await Server.start(bin)
    const dir = new DataDir()
    const envOf = (database: string) => {
      const urlOf = (login: string) => `postgres://${login}:secret@${server.host}/${database}`
      return { DATABASE_URL: urlOf('metrics'), READER_DATABASE_URL: urlOf('metrics_reader') }
    }
    const [old, restored] = [envOf('metrics'), envOf('restored')]
    try {
      await server.query(
        ...['metrics', 'metrics_reader'].map(name => `CREATE ROLE ${name} LOGIN PASSWORD 'secret'`),
        'ALTER DATABASE metrics OWNER TO metrics',
        'CREATE DATABASE restored OWNER metrics ENCODING UTF8 TEMPLATE template0',
      )
      const counts = `SELECT ${TABLES.map(table => `(SELECT count(*) FROM ${table}) AS ${table}`)}`
      const readCounts = ({ DATABASE_URL }: typeof old) =>
        withPool(DATABASE_URL, { max: 1 }, async pool => (await pool.query(counts)).rows)
      await run(['migrate'], old)
      const demo = await withPool(old.DATABASE_URL, { max: 2 }, pool => loadDemo(pool, 'dev', Date.now() / 1000, 4))
      const { key } = demo.keys[0] as DemoKey
      const read = async (env: Env, ...paths: string[]) => {
        const service = new Command(['serve'], { ...env, METRICS_ENV: 'dev' })
        const url = await service.url()
        const responses = await Promise.all(paths.map(path => send(url + path, { key })))
        expect((await service.end('SIGTERM')).stderr).not.toContain('warning')
        return responses
      }
      const [list, changes] = ['/v1/partner/assets?limit=2', '/v1/partner/changes']
      const [before, feed] = await read(old, list, changes)
      // Run the remedy of the page against a leaked reader login.
      await server.query(codeBlocks('A leaked reader login', 'sql')[0]!)
      const [dump, restore] = codeBlocks('External PostgreSQL') as [string, string]
      runBlock(dump, dir.parent, old)
      runBlock(restore, dir.parent, restored)
      expect(await readCounts(restored)).toEqual(await readCounts(old))
      const cursorOf = (response = before) => `cursor=${response!.body.pagination.cursor}`
      const [after, next, followed] = await read(
        restored,
        list,
        `${list}&${cursorOf()}`,
        `${changes}?${cursorOf(feed)}`,
      )
      expect([after!.status, after!.text]).toEqual([200, before!.text])
      expect([next!.status, next!.body.data.length]).toEqual([200, 2])
      expect([followed!.status, followed!.body.error?.code]).toEqual([410, 'RESYNC_REQUIRED'])

      const reader = new Client({ connectionString: restored.READER_DATABASE_URL })
      await reader.connect()
      expect((await reader.query('SELECT FROM assets')).rowCount).toBe(0)
      await expect(reader.query('SELECT FROM api_keys')).rejects.toThrow('permission denied')
      await reader.query('SET default_transaction_read_only = off')
      await expect(reader.query('DELETE FROM assets')).rejects.toThrow('permission denied')
      await reader.end()
      const [row] = await server.query(`SELECT datacl::text AS acl FROM pg_database WHERE datname = 'restored'`)
      expect(row!.acl).not.toMatch(/[{,]=[^,]*T/)
    } finally {
      await server.dispose()
      await dir.dispose()
    }
  },
)

test('a copy of the files of the embedded PostgreSQL restores everything, and fails while the service is running', async () => {
  const dir = new DataDir()
  const work = join(dir.parent, 'work')
  mkdirSync(work)
  const env = { DATA_DIR: join(work, '.data') }
  const readEpoch = () => readFileSync(join(env.DATA_DIR, 'epoch'), 'utf8')
  try {
    const [backup, restore] = codeBlocks('Embedded PostgreSQL') as [string, string]
    const service = new Command(['serve'], env)
    const feed = `${await service.url()}/v1/partner/changes`
    expect(() => runBlock(backup, work, env)).toThrow('Command failed')
    expect(existsSync(join(work, 'metrics.tar.gz'))).toBe(false)
    const { key } = (await runJson(['keys', 'issue', '--no-company', '--label', 'backed up'], env)).document
    const { cursor } = (await send(feed, { key })).body.pagination
    await service.end('SIGTERM')
    const before = (await runJson(['list', 'keys'], env)).document
    const epoch = readEpoch()
    await run(['list', 'keys'], env)
    expect(readEpoch()).toBe(epoch)
    runBlock(backup, work, env)
    rmSync(env.DATA_DIR, { recursive: true })
    runBlock(restore, work, env)
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
