/** The restore to a moment, as the operations page describes it, with the PostgreSQL of Debian. */
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { accountFor } from '../../db/embedded/account'
import { closeShared } from '../support/command-pools'
import { codeBlocks, findPostgres, OPERATIONS, OPS } from '../support/debian'
import { freePort } from '../support/free-port'
import { run, runJson } from '../support/in-process'
import { World } from '../support/world'

jest.setTimeout(180_000)

const bin = findPostgres('initdb', 'pg_ctl', 'pg_basebackup')
const withPostgres = bin ? test : test.skip

const ARCHIVE = '/var/backups/metrics/wal'

let folder: string
let port: number
let pgdata: string

const inTestFolder = (text: string) => text.replaceAll(ARCHIVE, join(folder, 'wal'))

/** Starts a server as its files say. It would otherwise keep the output of the shell open. */
const startPostgres = () => shell('pg_ctl start --wait --log="$PGDATA/log" > /dev/null 2>&1')

/** Runs a command in the shell, as the account of PostgreSQL. */
const shell = (command: string, cwd = folder): string =>
  execFileSync('bash', ['-euc', command], {
    ...accountFor(join(folder, 'none')),
    cwd,
    encoding: 'utf8',
    env: {
      PATH: `${bin}:${process.env.PATH}`,
      PGDATA: pgdata,
      PGHOST: '127.0.0.1',
      PGPORT: `${port}`,
      PGUSER: 'postgres',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })

const urlAs = (user: string) => `postgres://${user}:x@127.0.0.1:${port}/metrics`

const env = () => ({
  DATABASE_URL: urlAs('metrics'),
  READER_DATABASE_URL: urlAs('metrics_reader'),
})

async function query(sql: string) {
  const client = new Client({ connectionString: `postgres://postgres@127.0.0.1:${port}/postgres` })
  await client.connect()
  try {
    return (await client.query(sql)).rows[0]
  } finally {
    await client.end()
  }
}

async function importRows(kind: string, text: string): Promise<void> {
  const { code, stderr } = await run(['import', kind, '-'], env(), text)
  if (code !== 0) throw new Error(stderr)
}

const importAsset = (id: string) =>
  importRows(
    'assets',
    `id,name,company_id,media_type,format,status,country,region,city,latitude,longitude,time_zone\n${id},${id},companyalder,static,other,active,DE,DE-BE,Berlin,52.5,13.4,Europe/Berlin\n`,
  )

/** Opens the service, and returns what reads the feed behind a cursor to its end. */
async function serve(key: string) {
  const { DATABASE_URL: ownerUrl, READER_DATABASE_URL: readerUrl } = env()
  const world = await World.open({ environment: 'production', database: { ownerUrl, readerUrl, drop: async () => {} } })
  const follow = async (cursor?: string) => {
    const { status, body } = await world.get(`/v1/partner/changes${cursor ? `?cursor=${cursor}` : ''}`, { key })
    return { status, code: body.error?.code, cursor: body.pagination?.cursor, text: JSON.stringify(body) }
  }
  const list = async () => (await world.get('/v1/partner/assets', { key })).text
  return { follow, list, stop: () => world.stop() }
}

beforeAll(async () => {
  if (!bin) return
  folder = mkdtempSync(join(tmpdir(), 'restore-'))
  chmodSync(folder, 0o777)
  pgdata = join(folder, 'first')
  port = await freePort()
  shell('mkdir wal base')
})
afterAll(() => {
  if (!bin) return
  for (const directory of ['first', 'second', 'replica'].map(name => join(folder, name))) {
    try {
      shell(`pg_ctl stop --mode=immediate --pgdata=${directory}`)
    } catch {
      // It did not start, or has been stopped.
    }
  }
  rmSync(folder, { recursive: true, force: true })
})

withPostgres('a restore to a moment keeps the cursors of before, and refuses those of what was lost', async () => {
  shell('initdb --username=postgres --auth=trust --no-sync')
  const archive = inTestFolder(readFileSync(join(OPS, 'postgresql-archive.conf'), 'utf8'))
  writeFileSync(join(folder, 'archive.conf'), archive)
  shell(`echo "include '${folder}/archive.conf'" >> "$PGDATA/postgresql.conf"`)
  shell(`printf "%s\\n" "port = ${port}" "unix_socket_directories = '${folder}'" >> "$PGDATA/postgresql.conf"`)
  startPostgres()
  for (const role of ['metrics', 'metrics_reader']) await query(`CREATE ROLE ${role} LOGIN PASSWORD 'x'`)
  await query('CREATE DATABASE metrics OWNER metrics ENCODING UTF8 TEMPLATE template0')
  expect(await run(['migrate'], env())).toMatchObject({ code: 0 })
  await importRows('companies', 'id,name\ncompanyalder,Alder\n')
  const { document } = await runJson(['keys', 'issue', '--company', 'companyalder'], env())
  await importAsset('assetfirst')
  shell('pg_basebackup --pgdata=base --format=tar --gzip --checkpoint=fast --no-password')

  let service = await serve(document.key)
  await importAsset('assetkept')
  const kept = await service.follow()
  const { moment } = await query('SELECT clock_timestamp()::text AS moment')
  await importAsset('assetlost')
  const lost = await service.follow(kept.cursor)
  expect([kept.status, lost.status, lost.text]).toEqual([200, 200, expect.stringContaining('assetlost')])
  await service.stop()
  const { file } = await query('SELECT pg_walfile_name(pg_switch_wal()) AS file')
  while (!existsSync(join(folder, 'wal', file))) await sleep(50)
  await closeShared(env().DATABASE_URL)
  shell('pg_ctl stop --mode=immediate')

  const [, commands = ''] = codeBlocks('Point-in-time recovery')
  pgdata = join(folder, 'second')
  shell('mkdir --mode=700 "$PGDATA"')
  const [, example = ''] = /recovery_target_time='(.+?)'/.exec(commands) ?? []
  shell(inTestFolder(commands).replace(example, moment), join(folder, 'base'))
  startPostgres()

  expect(await run(['verify'], env())).toMatchObject({ code: 0 })
  service = await serve(document.key)
  expect(await service.list()).toMatch(/^(?=.*assetfirst)(?=.*assetkept)(?!.*assetlost)/s)
  await importAsset('assetlater')
  expect(await service.follow(kept.cursor)).toMatchObject({ status: 200, text: expect.stringContaining('assetlater') })
  expect(await service.follow(lost.cursor)).toMatchObject({ status: 410, code: 'RESYNC_REQUIRED' })
  await service.stop()

  // A replica is a copy of the restored server with its settings.
  const settings = inTestFolder(readFileSync(join(OPS, 'postgresql-replicas.conf'), 'utf8'))
  writeFileSync(join(folder, 'replicas.conf'), settings)
  shell(`echo "include '${folder}/replicas.conf'" >> "$PGDATA/postgresql.conf"`)
  const [login = ''] = codeBlocks('Read replicas', 'sql')
  await query(login)
  const [, rule = ''] = /`(host replication .+)`/.exec(OPERATIONS) ?? []
  shell(`sed --in-place /replication/d "$PGDATA/pg_hba.conf" && echo '${rule}' >> "$PGDATA/pg_hba.conf"`)
  shell('pg_ctl restart --wait --log="$PGDATA/log" > /dev/null 2>&1')
  const [copy = ''] = /^pg_basebackup --host.+$/m.exec(OPERATIONS) ?? []
  pgdata = join(folder, 'replica')
  shell(`PGPASSWORD=… ${copy.replace('--host=db1.example', `--host=127.0.0.1 --port=${port}`)}`)
  shell(`echo "port = ${await freePort()}" >> "$PGDATA/postgresql.auto.conf"`)
  startPostgres()
  const streams = "SELECT FROM pg_stat_replication WHERE state = 'streaming'"
  while ((await query(streams)) === undefined) await sleep(50)
})

withPostgres('a file is archived once, again after a crash, and never in place of another one', () => {
  const command = inTestFolder(
    /archive_command = '(.+)'/.exec(readFileSync(join(OPS, 'postgresql-archive.conf'), 'utf8'))?.[1] ?? '',
  )
  const archive = (text: string) => {
    writeFileSync(join(folder, 'segment'), text)
    const filled = command.replaceAll('%p', join(folder, 'segment')).replaceAll('%f', 'once')
    return shell(`{ ${filled}; } > /dev/null 2>&1 && echo archived || echo refused`).trim()
  }
  // A crash left an incomplete copy behind.
  writeFileSync(join(folder, 'wal', 'once.partial'), 'incomp')
  chmodSync(join(folder, 'wal', 'once.partial'), 0o666)
  expect(['complete', 'complete', 'different'].map(archive)).toEqual(['archived', 'archived', 'refused'])
  expect(readFileSync(join(folder, 'wal', 'once'), 'utf8')).toBe('complete')
  expect(existsSync(join(folder, 'wal', 'once.partial'))).toBe(false)
})
