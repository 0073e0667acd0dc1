/** The logins of the embedded PostgreSQL, one of which may leak. */
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Embedded, openEmbedded } from '../../../db/embedded/embedded-cluster'
import { readExcessPrivileges } from '../../../db/logins'
import { withPool } from '../../../db/postgres/pool'
import { DataDir, type Env } from '../../support/command'
import { run, runJson } from '../../support/in-process'
import { query } from './query'

jest.setTimeout(120_000)

describe('the embedded PostgreSQL', () => {
  let dir: DataDir
  let env: Env
  let cluster: Embedded
  beforeAll(async () => {
    dir = await DataDir.migrated()
    env = { DATA_DIR: dir.path }
    cluster = await openEmbedded({ dataDir: dir.path, create: false })
  })
  afterAll(async () => {
    await cluster.leave()
    expect(dir.postmaster()).toBeUndefined()
    await dir.dispose()
  })

  test('has logins for the service that own nothing and have no privileges beyond their task', async () => {
    for (const url of [cluster.readerUrl, cluster.writerUrl])
      expect(await withPool(url, { max: 1 }, readExcessPrivileges)).toEqual([])
    await expect(query(cluster.readerUrl, 'SELECT * FROM api_keys')).rejects.toThrow('permission denied')
    await expect(query(cluster.readerUrl, 'CREATE TABLE t ()')).rejects.toThrow('permission denied')
    const [settings] = await query(
      cluster.ownerUrl,
      `SELECT current_setting('listen_addresses') AS address, current_setting('unix_socket_directories') AS socket,
                current_setting('fsync') AS fsync, current_setting('server_encoding') AS encoding,
                datcollate AS collation FROM pg_database WHERE datname = current_database()`,
    )
    expect(settings).toEqual({ address: '127.0.0.1', socket: '', fsync: 'on', encoding: 'UTF8', collation: 'C' })
    expect(statSync(join(dir.path, 'postgres', 'credentials.json')).mode & 0o777).toBe(0o600)
  })

  test('gives a leaked reader login no way to other databases, locks, large objects or other connections', async () => {
    for (const database of ['postgres', 'template1']) {
      const url = Object.assign(new URL(cluster.readerUrl), { pathname: database }).href
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
      await expect(query(cluster.readerUrl, statement)).rejects.toThrow(/permission denied/)
    }
    const [limits] = await query(
      cluster.ownerUrl,
      `SELECT rolconnlimit AS reader, current_setting('max_connections')::int AS all,
             current_setting('client_connection_check_interval') AS "checkInterval"
           FROM pg_roles WHERE rolname = 'partner_metrics_reader'`,
    )
    expect(limits).toEqual({ reader: 50, all: 100, checkInterval: '2s' })
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
    for (const set of ['SET', 'ALTER ROLE CURRENT_USER SET', 'ALTER ROLE CURRENT_USER RESET']) {
      const value = set.endsWith('RESET') ? '' : "= 'log'"
      await expect(query(cluster.readerUrl, `${set} log_min_messages ${value}`)).rejects.toThrow(/permission denied/)
    }
    const write = (text: string) => query(cluster.ownerUrl, `DO $$ BEGIN RAISE LOG '${text}'; END $$`)
    for (let i = 0; i < 20; i++) await write('x'.repeat(2 ** 20))
    await write('the last line')
    await dir.until(() => log().length < 11 * 2 ** 20)
    await write('another line')
    expect(log()).toMatch(/the last line.*another line/s)
    expect(log()).not.toContain('\0')
  })

  test('and its logins are left as they are by commands, which find no database where its creation was interrupted', async () => {
    const logins = () => query(cluster.ownerUrl, 'SELECT rolname, xmin FROM pg_authid ORDER BY 1')
    const before = await logins()
    expect((await run(['keys', 'list'], env)).code).toBe(0)
    expect(await logins()).toEqual(before)
    const server = Object.assign(new URL(cluster.ownerUrl), { pathname: 'postgres' }).href
    await query(server, 'DROP DATABASE partner_metrics')
    const { document } = await runJson(['keys', 'list'], env)
    expect(document.error.code).toBe('NO_DATABASE')
    expect(await query(server, "SELECT FROM pg_database WHERE datname = 'partner_metrics'")).toEqual([])
  })
})
