import { execFileSync } from 'node:child_process'
import { createWriteStream, mkdtempSync, readFileSync, rmSync, type WriteStream, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { Pool } from 'pg'
import { openPool } from '../../db/postgres/pool'
import { Command, run, runJson } from '../support/command'
import { Factory } from '../support/factories'
import { rounds } from '../support/rounds'
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

/** Returns the peak resident memory of a process over its whole life, in MiB. */
async function readPeakMemory({ pid, ended }: Command): Promise<number> {
  let peak = 0
  const sampling = setInterval(() => {
    try {
      const [, size] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
      peak = Math.max(peak, Number(size) / 1024 || 0)
    } catch {
      // The process has ended; its `close` event is about to follow.
    }
  }, 20)
  await ended
  clearInterval(sampling)
  return peak
}

const header = Buffer.from('id,name\ncompanya1,a\n')
const tooLong = { faults: [{ line: 3, reason: 'a row is longer than 1 MiB' }] }
const BOMBS = rounds(5, 10)
const ROWS = rounds(1_000_000, 2_000_000)

test.each<[name: string, file: string, content: () => Buffer[], outcome: object]>([
  ['a line of 100 MB', 'line.csv', () => [header, Buffer.alloc(100 * MB, 'x')], tooLong],
  [
    'a quoted value of 100 MB',
    'quoted.csv',
    () => [header, Buffer.from('"'), Buffer.alloc(100 * MB, 'x\n')],
    { faults: [{ reason: 'a row is longer than 1 MiB' }] },
  ],
  [
    'a row of 50 million values',
    'values.csv',
    () => [header, Buffer.alloc(50 * MB, ',')],
    { faults: [{ line: 3, reason: 'a row has more than 100000 values' }] },
  ],
  [
    '10 GB of zeros, compressed',
    'bomb.csv.gz',
    () => [gzipSync(header), ...Array(100).fill(gzipSync(Buffer.alloc(100 * MB)))],
    tooLong,
  ],
  [
    'hundreds of MB of blank lines, compressed, which do not count as rows',
    'blank.csv.gz',
    () => [
      gzipSync(Buffer.from('id,name\n')),
      ...Array(BOMBS).fill(gzipSync(Buffer.alloc(50 * MB, '\n'))),
      gzipSync(Buffer.from('x')),
    ],
    { read: 1, faults: [{ line: BOMBS * 50 * MB + 2, reason: expect.stringMatching(/^has 1 values where/) }] },
  ],
  [
    'a million invalid rows, compressed, of which 1,000 are named',
    'invalid.csv.gz',
    () => [gzipSync(Buffer.from(`id,name\n${'X,y\n'.repeat(ROWS)}`))],
    { read: ROWS, rejected: ROWS, faults: { length: 1_000 } },
  ],
])('%s: it is refused with the line, in bounded memory, and nothing is stored', async (_, file, content, outcome) => {
  const path = join(directory, file)
  writeFileSync(path, Buffer.concat(content()))
  const command = new Command(['import', 'companies', path, '--json'], server.env)
  const memory = await readPeakMemory(command)
  const { code, stdout } = await command.ended
  expect(memory).toBeGreaterThan(20)
  expect(memory).toBeLessThan(MAX_MEMORY)
  const { faults, ...figures } = JSON.parse(stdout).files[0]
  const isCounted = !Array.isArray((outcome as { faults: unknown }).faults)
  expect({ code, ...figures, faults: isCounted ? { length: faults.length } : faults }).toMatchObject({
    ...{ code: 1, stored: 0 },
    ...outcome,
  })
})

describe('a running import', () => {
  let pipes = 0
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
    pipe = join(directory, `pipe-${++pipes}`)
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

  test.each<[string, () => unknown, (() => Promise<void>)?]>([
    [
      'its connection is terminated',
      () =>
        owner.query(
          'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()',
        ),
    ],
    ['PostgreSQL is killed', () => server.kill(), () => server.restart()],
  ])('stores nothing and fails when %s', async (_, fail, repair = async () => {}) => {
    await fail()
    const { code, stdout } = await finish()
    const lost = [expect.objectContaining({ line: null, reason: expect.stringContaining('went away') })]
    expect([code, JSON.parse(stdout).files[0]]).toMatchObject([1, { stored: 0, faults: lost }])
    await repair()
    expect(await storedDays()).toBe(0)
  })

  test.each([
    ['SIGTERM', 1],
    ['SIGKILL', 'SIGKILL'],
  ] as const)('stores nothing at %s, and does not block the next one', async (signal, code) => {
    expect((await importing.end(signal)).code).toBe(code)
    expect(await storedDays()).toBe(0)
    const next = await importAgain()
    expect([next.code, JSON.parse(next.stdout).total]).toMatchObject([0, { read: 60_000, stored: 60_000 }])
    await owner.query('TRUNCATE sensor_days')
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
