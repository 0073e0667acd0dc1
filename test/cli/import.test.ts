import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { Client } from 'pg'
import { MAIN } from '../support/build'
import { Command } from '../support/command'
import { settingsOf } from '../support/databases'
import { World } from '../support/world'

jest.setTimeout(120_000)

describe('partner-metrics import', () => {
  let world: World
  const directory = mkdtempSync(join(tmpdir(), 'partner-metrics-import-'))
  beforeAll(async () => {
    world = await World.open()
  })
  afterAll(async () => {
    await world.stop()
    rmSync(directory, { recursive: true })
  })
  beforeEach(() => world.clear())

  const path = (name: string) => join(directory, name)
  const write = (name: string, content: string | Buffer): string => {
    writeFileSync(path(name), content)
    return path(name)
  }
  const names = async () => (await world.rows('SELECT name FROM companies ORDER BY name')).map(({ name }) => name)
  const figures = (read: number, stored: number, unchanged = 0, rejected = 0, not_stored = 0) => ({
    read,
    stored,
    unchanged,
    set_aside: 0,
    erased: 0,
    dropped: 0,
    rejected,
    not_stored,
  })

  /** Starts the built command, whose output nobody reads at first. */
  const start = (args: readonly string[]): ChildProcessWithoutNullStreams =>
    spawn(process.execPath, [MAIN, ...args], { env: { PATH: process.env.PATH, ...settingsOf(world.database) } })

  /** Runs the built command with standard input. @returns its exit code */
  async function pipe(input: Buffer | string, args: readonly string[]): Promise<number> {
    const child = start(args)
    child.stdout.resume()
    child.stderr.resume()
    child.stdin.end(input)
    return (await once(child, 'close'))[0]
  }

  test('prints the figures of each file and the total, as a table and as JSON', async () => {
    const files = [write('a.csv', 'name\nAlder\nAsh\n'), write('b.csv', 'name\nBirch\nAsh\n')]
    const first = await world.run(['import', 'companies', ...files])
    expect([first.code, first.stderr]).toEqual([0, ''])
    const cells = first.stdout.split('\n').map(line => line.split(/[│\s]+/).filter(Boolean))
    expect(cells).toContainEqual([files[0], '2', '2', '0', '0', '0', '0', '0', '0'])
    expect(cells).toContainEqual([files[1], '2', '1', '1', '0', '0', '0', '0', '0'])
    expect(cells).toContainEqual(['total', '4', '3', '1', '0', '0', '0', '0', '0'])
    const again = await world.runJson(['import', 'companies', ...files])
    expect(again).toEqual({
      code: 0,
      document: {
        files: files.map(file => ({ file, ...figures(2, 0, 2), refused: false, faults: [] })),
        total: figures(4, 0, 4),
      },
    })
  })

  test('reads gzip, also of several members, and standard input', async () => {
    const members = Buffer.concat([gzipSync('name\nAlder\n'), gzipSync('Ash\n')])
    expect((await world.run(['import', 'companies', write('a.csv.gz', members)])).code).toBe(0)
    expect(await names()).toEqual(['Alder', 'Ash'])
    expect(await pipe('name\nBirch\n', ['import', 'companies', '-'])).toBe(0)
    expect(await names()).toEqual(['Alder', 'Ash', 'Birch'])
  })

  test('maps, ignores and sets columns', async () => {
    const file = write('v.csv', 'code,title,since\nvendoralpha,Alpha,2020\n')
    const args = '--map id=code --map name=title --ignore since --set own=false --set finest_grain=hour'.split(' ')
    expect((await world.run(['import', 'vendors', file, ...args])).code).toBe(0)
    expect(await world.rows('SELECT id, name, native_minutes FROM vendors')).toEqual([
      { id: 'vendoralpha', name: 'Alpha', native_minutes: 60 },
    ])
  })

  test('refuses a file for one row, with file, line and reason, and imports the other files; --skip-faulty stores the valid rows', async () => {
    const bad = write('bad.csv', 'id,name\ncompanya1,Alder\nX,Ash\n')
    const { code, stderr } = await world.run(['import', 'companies', bad, write('good.csv', 'name\nBirch\n')])
    expect(code).toBe(1)
    expect(stderr).toMatch(new RegExp(`^${bad}:3: id is "X", but must be an identifier.*\\n$`))
    expect(await names()).toEqual(['Birch'])
    const faults = [{ line: 3, reason: expect.stringMatching(/^id is "X"/) }]
    expect(await world.runJson(['import', 'companies', bad])).toMatchObject({
      code: 1,
      document: { total: figures(2, 0, 0, 1, 1), files: [{ refused: true, faults }] },
    })
    const skipped = await world.run(['import', 'companies', bad, '--skip-faulty', '--json'])
    expect([skipped.code, skipped.stderr]).toEqual([0, expect.stringContaining('bad.csv:3: ')])
    expect(JSON.parse(skipped.stdout).total).toEqual(figures(2, 1, 0, 1))
    expect(await names()).toEqual(['Alder', 'Birch'])
    // No row of a file is left to store; one is, though it changes nothing.
    for (const [text, code, total] of [
      ['id,name\nX,Alder\nY,Ash\n', 1, figures(2, 0, 0, 2)],
      ['id,name\n,Birch\nY,Ash\n', 0, figures(2, 0, 1, 1)],
    ] as const) {
      const ended = await world.runJson(['import', 'companies', '-', '--skip-faulty'], text)
      expect(ended).toMatchObject({ code, document: { total } })
    }
  })

  test('prints one line for a kind of error, with how often it occurs and where at first', async () => {
    const rows = Array.from({ length: 500 }, (_, i) => `2026-02-10 ${String(i % 24).padStart(2, '0')}:00,1,2`)
    const file = write('wide.csv', ['start,North,South', ...rows, 'soon,1,2'].join('\n'))
    const { code, stderr, stdout } = await world.run(['import', 'impressions', file, '--wide', '--json'])
    expect([code, JSON.parse(stdout).total.rejected, stderr.trimEnd().split('\n')]).toEqual([
      1,
      1002,
      [
        expect.stringMatching(
          /wide\.csv:2: sensor "North" is unknown; .*--ignore \(1002 such errors, on the lines 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, …; also with "South"\)$/,
        ),
      ],
    ])
  })

  describe('with more messages than its reader takes', () => {
    /** Starts an import of files with a fault each, whose names are long, and of one without. */
    const startMany = () => {
      const deep = join(...Array<string>(10).fill('d'.repeat(200)))
      mkdirSync(path(deep), { recursive: true })
      const invalid = Array<string>(100).fill(write(join(deep, 'invalid.csv'), 'id,name\nX,Alder\n'))
      return start(['import', 'companies', ...invalid, write('a.csv', 'name\nAsh\n')])
    }

    test.each(['stdout', 'stderr'] as const)('ends when the reader of %s has gone', async stream => {
      const child = startMany()
      const ended = once(child, 'close')
      child[stream === 'stdout' ? 'stderr' : 'stdout'].resume()
      child[stream].once('data', () => child[stream].destroy())
      expect((await ended)[0]).toBe(1)
      expect(await names()).toEqual(['Ash'])
    })

    test('stores the other files and frees the lock while nobody reads, and prints every message later', async () => {
      const child = startMany()
      const closed = once(child, 'close')
      while ((await names()).length === 0) await sleep(20)
      expect(await world.run(['import', 'companies', '-'], 'name\nBirch\n')).toMatchObject({ code: 0 })
      child.stdout.resume()
      let lines = 0
      for await (const chunk of child.stderr.setEncoding('utf8')) lines += chunk.split('\n').length - 1
      expect([lines, (await closed)[0]]).toEqual([100, 1])
    })
  })

  test('writes rejected rows of several files, of standard input and of a pipe to a new file', async () => {
    await world.make.sensor({ asset: await world.make.asset({ time_zone: 'UTC' }), serial: 'S1' })
    const rows = ['"S,2",2026-03-01T00:00,1', 'S1,2026-03-01T00:00,1', 'S1,2026-03-01T00:00,2', 'S1,2026-03-01T00:01']
    const text = `sensor,start,impressions\n${rows.join('\n')}\n`
    const expected =
      'line,reason,row\n' +
      '2,"sensor ""S,2"" is unknown","""S,2"",2026-03-01T00:00,1"\n' +
      '4,"impressions is 2, but line 3 has 1 for the same interval","S1,2026-03-01T00:00,2"\n' +
      '5,"has 2 values where the header has 3; --short-rows reads cells that are missing at its end as empty","S1,2026-03-01T00:01"\n'
    const args = ['import', 'impressions', '--skip-faulty', '--rejects']
    const read = (name: string) => readFileSync(path(name), 'utf8')
    expect((await world.run([...args, path('r1.csv'), '-'], text)).code).toBe(0)
    expect(read('r1.csv')).toBe(expected)
    execFileSync('mkfifo', [path('pipe')])
    const writing = writeFile(path('pipe'), text)
    expect((await world.run([...args, path('r2.csv'), path('pipe')])).code).toBe(0)
    await writing
    expect(read('r2.csv')).toBe(expected)
    const files = [write('a.csv', text), write('b.csv', text)]
    expect((await world.run([...args, path('r3.csv'), ...files])).code).toBe(0)
    expect(read('r3.csv').match(/^\d,"[^"]*[ab]\.csv: /gm)).toHaveLength(6)
  })

  test('writes rejects over no file that exists', async () => {
    const file = write('bad.csv', 'name,id\nAlder,X\n')
    const args = ['import', 'companies', file, '--rejects']
    for (const other of [file, write('log.txt', ''), '/dev/null']) {
      const { code, stderr } = await world.run([...args, other])
      expect([code, stderr]).toEqual([1, `error: --rejects ${other} exists: name another file\n`])
    }
    expect(readFileSync(file, 'utf8')).toBe('name,id\nAlder,X\n')
    const { stderr } = await world.run([...args, path('none/rejects.csv')])
    expect(stderr).toBe(`error: --rejects ${path('none/rejects.csv')} cannot be written (ENOENT)\n`)
  })

  test.each([
    ['a missing file', () => path('none.csv'), /none\.csv: does not exist\n$/],
    ['a directory', () => directory, /: is a directory\n$/],
    ['an empty file', () => write('empty.csv', ''), /: is empty: there is no header\n$/],
    ['an empty gzip file', () => write('empty.csv.gz', gzipSync('')), /: is empty: there is no header\n$/],
    [
      'gzip that ends too early',
      () => write('short.gz', gzipSync('name\nAlder\n').subarray(0, -9)),
      /: its gzip data ends too early\n$/,
    ],
    [
      'damaged gzip',
      () =>
        write('damaged.gz', Buffer.from(gzipSync('name\nAlder\n').map((byte, i) => (i === 14 ? byte ^ 0xff : byte)))),
      /: is not gzip, or damaged\n$/,
    ],
    ['a .gz file that is not gzip', () => write('plain.gz', 'name\nAlder\n'), /: is not gzip, or damaged\n$/],
    ['gzip without .gz in its name', () => write('b.csv', gzipSync('name\nAlder\n')), /: is gzip: decompress it first/],
    ['a header that does not fit', () => write('town.csv', 'name,town\n'), /town\.csv:1: has unknown columns: "town"/],
  ])('reports %s and stores nothing', async (_, file, message) => {
    const { code, stdout, stderr } = await world.run(['import', 'companies', file(), '--json'])
    expect(code).toBe(1)
    expect(stderr).toMatch(message)
    expect(JSON.parse(stdout)).toMatchObject({ files: [{ refused: true, faults: [{}] }], total: { stored: 0 } })
    expect(await names()).toEqual([])
  })

  test.each(['SIGKILL', 'SIGINT'] as const)(
    'stores nothing when it ends by %s, and does not block the next one',
    async signal => {
      await world.make.sensor({ asset: await world.make.asset({ time_zone: 'UTC' }), serial: 'S1', grain: 'hour' })
      const file = write('counts.csv', 'sensor,start,impressions\nS1,2026-01-01T00:00,1\nS1,2026-01-02T00:00,2\n')
      const blocker = new Client({ connectionString: world.database.ownerUrl })
      await blocker.connect()
      await blocker.query('BEGIN; LOCK TABLE operations IN SHARE MODE')
      const command = new Command(['import', 'impressions', file], settingsOf(world.database))
      const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
      while ((await world.rows(waiting)).length === 0) await sleep(20)
      const { code, stderr } = await command.end(signal)
      if (signal === 'SIGINT') expect([code, stderr]).toEqual([1, 'error: interrupted by SIGINT\n'])
      await blocker.end()
      await world.rows(`SELECT FROM locks WHERE name = 'import' FOR UPDATE`)
      expect(await world.days()).toEqual([])
      expect(await world.runJson(['import', 'impressions', file])).toMatchObject({ code: 0 })
      expect(await world.days()).toHaveLength(2)
    },
  )
})
