import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { accountFor } from '../../db/embedded/account'
import { Command, type Env } from '../support/command'
import { createDatabase, settingsOf, type TestDatabase } from '../support/databases'
import { testWith } from '../support/debian'
import { freePort } from '../support/free-port'
import { send } from '../support/http'
import { run as runInProcess } from '../support/in-process'
import { World } from '../support/world'

jest.setTimeout(60_000)

let folder: string
let database: TestDatabase
let admin: Client
let env: Env
let reader: string
let pooler: ChildProcess | undefined
/** The settings of a service that uses it for everything. */
let pooled: Env = {}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pooler-'))
  chmodSync(folder, 0o755)
  database = await createDatabase()
  admin = new Client({ connectionString: database.ownerUrl })
  await admin.connect()
  const name = new URL(database.ownerUrl).pathname.slice(1)
  // As on a server elsewhere, whose logins have no settings of their own.
  for (const setting of [`TimeZone = 'Asia/Kathmandu'`, `bytea_output = 'escape'`])
    await admin.query(`ALTER DATABASE ${name} SET ${setting}`)
  reader = `reader_of_${name}`
  await admin.query(`CREATE ROLE ${reader} LOGIN PASSWORD 'pooled'; GRANT CONNECT ON DATABASE ${name} TO ${reader}`)
  env = settingsOf(database)
  env.READER_DATABASE_URL = Object.assign(new URL(database.readerUrl), { username: reader, password: 'pooled' }).href
})
afterEach(stopPooler)
afterAll(async () => {
  await admin.query(`DROP OWNED BY ${reader}; DROP ROLE ${reader}`)
  await admin.end()
  await database.drop()
  rmSync(folder, { recursive: true })
})

/** Starts PgBouncer in front of the database. */
async function startPooler(): Promise<void> {
  const port = await freePort()
  const { hostname, port: server } = new URL(database.ownerUrl)
  const urls = Object.entries(env) as [string, string][]
  const logins = urls.map(([, url]) => new URL(url)).map(({ username, password }) => `"${username}" "${password}"`)
  writeFileSync(join(folder, 'users.txt'), logins.map(decodeURIComponent).join('\n'))
  writeFileSync(
    join(folder, 'pgbouncer.ini'),
    `[databases]\n* = host=${hostname} port=${server}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =\n` +
      `auth_type = scram-sha-256\nauth_file = ${folder}/users.txt\npool_mode = session\n`,
  )
  // It refuses to run as root.
  pooler = spawn('pgbouncer', ['--quiet', join(folder, 'pgbouncer.ini')], { ...accountFor(folder), stdio: 'ignore' })
  while (!(await isOpen(port))) {
    if (pooler.exitCode !== null) throw new Error('PgBouncer did not start')
    await sleep(20)
  }
  pooled = Object.fromEntries(urls.map(([name, url]) => [name, Object.assign(new URL(url), { port }).href]))
}

async function stopPooler(): Promise<void> {
  const exited = pooler && new Promise(resolve => pooler?.once('exit', resolve))
  pooler?.kill('SIGINT')
  await exited
  pooler = undefined
}

const isOpen = (port: number): Promise<boolean> =>
  new Promise(resolve => {
    const socket = connect(port, '127.0.0.1', () => resolve(true))
    socket.on('error', () => resolve(false)).on('connect', () => socket.end())
  })

testWith('pgbouncer')(
  'behind PgBouncer in session mode, responses are the same on a server of any time zone',
  async () => {
    await startPooler()
    // The owner's missing settings are set, but a running PgBouncer goes on with the old settings.
    const migrated = await runInProcess(['migrate'], pooled)
    expect(migrated.stderr).toMatch(
      /^error: DATABASE_URL: sessions of its login begin with TimeZone = Asia\/Kathmandu.*: run ALTER ROLE .* SET "?TimeZone"? = 'UTC';.*restarted after it/m,
    )
    await stopPooler()
    await startPooler()
    expect(await runInProcess(['migrate'], pooled)).toMatchObject({ code: 0 })
    await stopPooler()
    await startPooler()
    const direct = await World.open({
      environment: 'production',
      quota: 600,
      database: { ...database, drop: async () => {} },
    })
    const { make } = direct
    const company = await make.company()
    const asset = await make.asset({ company })
    await make.counts(await make.sensor({ asset }), '2026-01-01', () => 3)
    const key = await make.key([company])
    const behind = new Command(['serve'], pooled)
    const url = await behind.url()
    const range = 'from_date=2026-01-01&to_date=2026-01-02'
    for (const path of ['meta', 'assets', 'sensors', 'changes?output=csv', `impressions?${range}`]) {
      const { status, text } = await send(`${url}/v1/partner/${path}`, { key })
      expect([path, status, text]).toEqual([path, 200, (await direct.get(`/v1/partner/${path}`, { key })).text])
    }
    await behind.end('SIGTERM')
    await direct.stop()
  },
)
