import { execFileSync } from 'node:child_process'
import { createWriteStream, mkdtempSync, rmSync, type WriteStream, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { Pool } from 'pg'
import { openPool } from '../../db/postgres/pool'
import { Command, run, runJson } from '../support/command'
import { Factory } from '../support/factories'
import { rounds } from '../support/rounds'
import { readPeakMemory } from './memory'
import { Server } from './server'

jest.setTimeout(180_000)

const MB = 1024 * 1024

/** In MiB. */
const MAX_MEMORY = 300

let server: Server
let owner: Pool
let directory: string
let serial: string

beforeAll(async () => {
  server = await Server.start()
  await runJson(['migrate'], server.env)
  owner = openPool(server.ownerUrl)
  serial = (await new Factory(owner, 'production').sensor({ grain: 'minute' })).serial
  directory = mkdtempSync(join(tmpdir(), 'partner-metrics-import-'))
})
afterAll(async () => {
  await owner?.end()
  await server?.dispose()
  rmSync(directory, { recursive: true, force: true })
})

const storedDays = async (): Promise<number> =>
  (await owner.query('SELECT count(*) AS days FROM sensor_days')).rows[0].days

describe('a malicious file is refused with the line, in bounded memory, and nothing is stored:', () => {
  /** Imports a file and checks the memory that it takes. */
  async function importFile(name: string, content: Buffer[]) {
    const path = join(directory, name)
    writeFileSync(path, Buffer.concat(content))
    const command = new Command(['import', 'companies', path, '--json'], server.env)
    const memory = await readPeakMemory(command)
    const { code, stdout } = await command.ended
    expect(memory).toBeGreaterThan(20)
    expect(memory).toBeLessThan(MAX_MEMORY)
    return { code, ...JSON.parse(stdout).files[0] }
  }

  const header = Buffer.from('id,name\ncompanya1,a\n')
  const tooLong = { code: 1, stored: 0, faults: [{ line: 3, reason: 'a row is longer than 1 MiB' }] }

  test('a line of 100 MB', async () => {
    expect(await importFile('line.csv', [header, Buffer.alloc(100 * MB, 'x')])).toMatchObject(tooLong)
  })

  test('a quoted value of 100 MB', async () => {
    expect(await importFile('quoted.csv', [header, Buffer.from('"'), Buffer.alloc(100 * MB, 'x\n')])).toMatchObject({
      code: 1,
      stored: 0,
      faults: [{ reason: 'a row is longer than 1 MiB' }],
    })
  })

  test('a row of 50 million values', async () => {
    expect(await importFile('values.csv', [header, Buffer.alloc(50 * MB, ',')])).toMatchObject({
      ...tooLong,
      faults: [{ line: 3, reason: 'a row has more than 100000 values' }],
    })
  })

  test('10 GB of zeros, compressed', async () => {
    const bomb = gzipSync(Buffer.alloc(100 * MB))
    expect(await importFile('bomb.csv.gz', [gzipSync(header), ...Array(100).fill(bomb)])).toMatchObject(tooLong)
  })

  test('hundreds of MB of blank lines, compressed, which do not count as rows', async () => {
    const bombs = rounds(5, 10)
    const bomb = gzipSync(Buffer.alloc(50 * MB, '\n'))
    const bytes = [gzipSync(Buffer.from('id,name\n')), ...Array(bombs).fill(bomb), gzipSync(Buffer.from('x'))]
    expect(await importFile('blank.csv.gz', bytes)).toMatchObject({
      code: 1,
      read: 1,
      faults: [
        {
          line: bombs * 50 * MB + 2,
          reason: 'has 1 values where the header has 2; --short-rows reads cells that are missing at its end as empty',
        },
      ],
    })
  })

  test('a million invalid rows, compressed', async () => {
    const rows = rounds(1_000_000, 2_000_000)
    const outcome = await importFile('invalid.csv.gz', [gzipSync(Buffer.from(`id,name\n${'X,y\n'.repeat(rows)}`))])
    expect(outcome).toMatchObject({ code: 1, read: rows, rejected: rows, stored: 0 })
    expect(outcome.faults).toHaveLength(1_000)
  })

  test('a truncated gzip file', async () => {
    const whole = gzipSync(
      Buffer.from(`id,name\n${Array.from({ length: 99_999 }, (_, i) => `company${i},c${i}\n`).join('')}`),
    )
    expect(await importFile('half.csv.gz', [whole.subarray(0, whole.length / 2)])).toMatchObject({
      code: 1,
      stored: 0,
      faults: [{ line: null, reason: 'its gzip data ends too early' }],
    })
    expect((await owner.query("SELECT FROM companies WHERE name LIKE 'c%'")).rowCount).toBe(0)
  })
})

describe('a running import', () => {
  let pipe: string
  let input: WriteStream
  let importing: Command
  const from = Date.parse('2026-01-01T00:00:00Z')
  const rows = (first: number, last: number): string =>
    Array.from({ length: last - first }, (_, i) => {
      const minute = new Date(from + (first + i) * 60_000).toISOString()
      return `${serial},${minute},${(first + i) % 50}\n`
    }).join('')

  beforeEach(async () => {
    pipe = join(directory, `pipe-${Math.random()}`)
    execFileSync('mkfifo', [pipe])
    importing = new Command(['import', 'impressions', pipe, '--json'], server.env)
    input = createWriteStream(pipe)
    input.on('error', () => {})
    // The import has read all but what the pipe buffers.
    await new Promise(resolve => input.write(`sensor,start,impressions\n${rows(0, 50_000)}`, resolve))
  })

  const finish = async () => {
    input.end(rows(50_000, 60_000))
    return importing.ended
  }

  /** Imports the same rows as a whole. */
  const importAgain = async () => {
    const path = join(directory, 'again.csv')
    writeFileSync(path, `sensor,start,impressions\n${rows(0, 60_000)}`)
    return run(['import', 'impressions', path, '--json'], server.env)
  }

  const CONNECTION_LOST = [expect.objectContaining({ line: null, reason: expect.stringContaining('went away') })]

  test('stores nothing and fails when its connection is terminated', async () => {
    await owner.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()',
    )
    const { code, stdout } = await finish()
    expect([code, JSON.parse(stdout).files[0]]).toMatchObject([1, { stored: 0, faults: CONNECTION_LOST }])
    expect(await storedDays()).toBe(0)
  })

  test('stores nothing and fails when PostgreSQL is killed', async () => {
    server.kill()
    const { code, stdout } = await finish()
    expect([code, JSON.parse(stdout).files[0]]).toMatchObject([1, { stored: 0, faults: CONNECTION_LOST }])
    await server.restart()
    expect(await storedDays()).toBe(0)
  })

  test('stores nothing when it is killed, and does not block the next one', async () => {
    await importing.end('SIGKILL')
    expect(await storedDays()).toBe(0)
    const { code, stdout } = await importAgain()
    expect([code, JSON.parse(stdout).total]).toMatchObject([0, { read: 60_000, stored: 60_000 }])
    await owner.query('TRUNCATE sensor_days')
  })

  test('stores nothing when it is interrupted', async () => {
    const { code, stdout } = await importing.end('SIGTERM')
    expect([code, JSON.parse(stdout).error.code]).toEqual([1, 'INTERRUPTED'])
    expect(await storedDays()).toBe(0)
  })

  test('continues after a pause of PostgreSQL', async () => {
    server.pause()
    const ended = finish()
    await sleep(3_000)
    server.resume()
    const { code, stdout } = await ended
    expect([code, JSON.parse(stdout).total]).toMatchObject([0, { read: 60_000, stored: 60_000 }])
    expect(await storedDays()).toBe(42)
    expect(JSON.parse((await importAgain()).stdout).total).toMatchObject({ stored: 0, unchanged: 60_000 })
  })
})
