/** Files of an import as they come: where from, in what order, refused or in part, reported, rejected rows, dry runs, and its end. */
import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { encode } from 'iconv-lite'
import { MAIN } from '../support/build'
import { Command } from '../support/command'
import { settingsOf } from '../support/databases'
import { Lock } from '../support/lock'
import { like, splitWords } from '../support/text'
import { World } from '../support/world'

jest.setTimeout(120_000)

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
  ...{ read, stored, unchanged, set_aside: 0, erased: 0, dropped: 0, rejected, not_stored },
})
/** A sensor S1 of hours in Berlin, and one whose name has a letter outside of ASCII. */
const addSensors = () =>
  world.make.together(async make => {
    const asset = await make.asset({ id: 'assetalpha1', name: 'Platz', time_zone: 'Europe/Berlin' })
    for (const serial of ['S1', 'Brücke']) await make.sensor({ asset, serial, grain: 'hour' })
  })
const HEADER = 'sensor,start,impressions'

test.each([
  ['nothing', '', [0, /gets no count at 2026-05-04T08:00\+02:00: only 3 of 4 parts of 15 minutes have a count/, [10]]],
  [
    'another sum',
    '2026-05-04T08:00,44',
    [1, /are empty and others are not: it is erased by empty values in all/, [44]],
  ],
  ['their sum', '2026-05-04T08:00,33', [0, /^$/, [33, 10]]],
] as const)(
  'of parts of which one is to be erased, where %s is stored, nothing is erased',
  async (_, before, after) => {
    await addSensors()
    await world.import('impressions', ['sensor,start,impressions', ...(before ? [`S1,${before}`] : [])])
    const rows = ['08:00,11', '08:15,11', '08:30,', '08:45,11', '09:00,1', '09:15,2', '09:30,3', '09:45,4']
    const text = ['sensor,start,impressions', ...rows.map(row => `S1,2026-05-04 ${row}`)].join('\n')
    const { code, stderr } = await world.run(['import', 'impressions', '-', '--sum-to-grain', '--erase'], text)
    const stored = (await world.days()).flatMap(({ counts }) => counts.filter(count => count >= 0))
    const [exit, message, counts] = after
    expect([code, stderr, stored]).toEqual([exit, expect.stringMatching(message), counts])
  },
)

test('prints the figures of each file and the total, as a table and as JSON', async () => {
  const files = [write('a.csv', 'name\nAlder\nAsh\n'), write('b.csv', 'name\nBirch\nAsh\n')]
  const { code, stdout, stderr } = await world.run(['import', 'companies', ...files])
  expect([code, stderr]).toEqual([0, ''])
  const cells = stdout.split('\n').map(line => line.split(/[│\s]+/).filter(Boolean))
  expect(cells).toContainEqual([files[1], '2', '1', '1', '0', '0', '0', '0', '0'])
  expect(cells).toContainEqual(['total', '4', '3', '1', '0', '0', '0', '0', '0'])
  const document = {
    files: files.map(file => ({ file, ...figures(2, 0, 2), refused: false, faults: [] })),
    total: figures(4, 0, 4),
  }
  expect(await world.runJson(['import', 'companies', ...files])).toEqual({ code: 0, document })
})

test('reads gzip, also of several members, and standard input', async () => {
  const members = Buffer.concat([gzipSync('name\nAlder\n'), gzipSync('Ash\n')])
  expect((await world.run(['import', 'companies', write('a.csv.gz', members)])).code).toBe(0)
  expect((await world.run(['import', 'companies', '-'], 'name\nBirch\n')).code).toBe(0)
  expect(await names()).toEqual(['Alder', 'Ash', 'Birch'])
})

test('refuses a file for one row, and imports the others; --skip-faulty stores the valid rows', async () => {
  const bad = write('bad.csv', 'id,name\ncompanya1,Alder\nX,Ash\n')
  const { code, stderr } = await world.run(['import', 'companies', bad, write('good.csv', 'name\nBirch\n')])
  expect([code, stderr]).toEqual([1, like(`${bad}:3: id is "X", but must be an identifier…\n`)])
  expect(await names()).toEqual(['Birch'])
  // With --skip-faulty, a file is refused if no row is left; a row that changes nothing is one.
  for (const [options, text, code, total, refused] of [
    [[], 'id,name\ncompanya1,Alder\nX,Ash\n', 1, figures(2, 0, 0, 1, 1), true],
    [['--skip-faulty'], 'id,name\ncompanya1,Alder\nX,Ash\n', 0, figures(2, 1, 0, 1), false],
    [['--skip-faulty'], 'id,name\nX,Alder\nY,Ash\n', 1, figures(2, 0, 0, 2), false],
    [['--skip-faulty'], 'id,name\n,Birch\nY,Ash\n', 0, figures(2, 0, 1, 1), false],
  ] as const) {
    const ended = await world.runJson(['import', 'companies', '-', ...options], text)
    expect([text, ended]).toMatchObject([text, { code, document: { total, files: [{ refused }] } }])
  }
})

const gzip = gzipSync('name\nAlder\n')

test.each<[string, file: () => string, message: string]>([
  ['a missing file', () => path('none.csv'), '…none.csv: does not exist'],
  ['a directory', () => directory, '…: is a directory'],
  ['an empty file', () => write('empty.csv', ''), '…: is empty: there is no header'],
  ['an empty gzip file', () => write('empty.csv.gz', gzipSync('')), '…: is empty: there is no header'],
  ['gzip that ends too early', () => write('short.gz', gzip.subarray(0, -9)), '…: its gzip data ends too early'],
  [
    'damaged gzip',
    () => write('damaged.gz', Buffer.from(gzip.map((byte, i) => (i === 14 ? byte ^ 0xff : byte)))),
    '…: is not gzip, or damaged',
  ],
  ['what is no gzip', () => write('plain.gz', 'name\nAlder\n'), '…: is not gzip, or damaged'],
  ['gzip by another name', () => write('b.csv', gzip), '…: is gzip: decompress it first…'],
  ['a wrong header', () => write('town.csv', 'name,town\n'), '…town.csv:1: has unknown columns: "town"…'],
  ['an Excel workbook', () => write('a.xlsx', 'PK\x03\x04\x14\0[Content_Types].xml'), '…(.xlsx): save…'],
  ['an old one', () => write('a.xls', Buffer.from('d0cf11e0a1b11ae1', 'hex')), '…(.xls): save…'],
  ['a ZIP archive', () => write('a.zip', 'PK\x03\x04\x14\0counts.csv'), '…is a ZIP archive: unpack it first…'],
  ['a Parquet file', () => write('a.parquet', 'PAR1'), '…is a Parquet file…'],
  ['UTF-16 without a mark', () => write('a.txt', encode('name,id\n', 'utf-16be')), '…UTF-16, give --encoding'],
])('names %s, and stores nothing', async (_, file, message) => {
  const { code, stdout, stderr } = await world.run(['import', 'companies', file(), '--json'])
  expect([code, stderr]).toEqual([1, like(`${message}\n`)])
  expect(JSON.parse(stdout)).toMatchObject({ files: [{ refused: true, faults: [{}] }], total: { stored: 0 } })
  expect(await names()).toEqual([])
})

describe('rejected rows', () => {
  beforeEach(addSensors)

  test.each<[string, options: string, text: string, rejects: string]>([
    [
      'Latin-1 behind lines before the header',
      '--encoding latin1 --delimiter ; --header-line 3',
      'Zähler;;\n\nsensor;start;impressions\r\nBrücke;2026-02-01 00:00;x\r\n',
      '4,…,"Brücke;2026-02-01 00:00;x"',
    ],
    [
      'UTF-16 with a byte order mark',
      '--delimiter tab',
      '\ufeffsensor\tstart\timpressions\nBrücke\t2026-02-01 00:00\tx',
      '2,…,"Brücke\t2026-02-01 00:00\tx"',
    ],
    [
      'no header, comments and quotes over lines',
      '--no-header --columns start,sensor,impressions --comment #',
      '#a\n2026-02-01 00:00,"Br\n""ücke""",1\r2026-02-01 00:00,Br"ücke,1\n#b\n=1,S1,x\n2026-02-01 00:00,S1,2\n',
      `2,…,"2026-02-01 00:00,""Br\n""""ücke"""""",1"\n4,…,"2026-02-01 00:00,Br""ücke,1"\n6,…,"'=1,S1,x"`,
    ],
    [
      'several cells of a row, and rows that are compared at the end',
      '--wide',
      'start,Brücke,S1\n2026-02-01 00:00,x,y\n2026-02-01 01:00,1,2\n2026-02-01 01:00,1,3\n',
      '2,"sensor ""Brücke"": …; sensor ""S1"": …","2026-02-01 00:00,x,y"\n3,…,"2026-02-01 01:00,1,2"\n4,…,"2026-02-01 01:00,1,3"',
    ],
  ])('of a file with %s are written with line, reason and text', async (_, given, text, expected) => {
    rmSync(path('rejects.csv'), { force: true })
    const encoding = given.includes('latin1') ? 'latin1' : text.startsWith('\ufeff') ? 'utf-16le' : 'utf-8'
    const options = [...splitWords(given), '--skip-faulty', '--rejects', path('rejects.csv')]
    const file = write('counts.csv', encode(text, encoding))
    const { document } = await world.runJson(['import', 'impressions', file, ...options])
    expect(document.files).toMatchObject([{ refused: false }])
    expect(readFileSync(path('rejects.csv'), 'utf8')).toEqual(like(`line,reason,row\n${expected}\n`))
  })

  test('of standard input, of a pipe and of several files are written to a new file, over none that exists', async () => {
    const text = `${HEADER}\n"S,2",2026-03-01 00:00,1\nS1,2026-03-01 00:00,1\nS1,2026-03-01 01:00\n`
    const expected = like(
      'line,reason,row\n2,"sensor ""S,2"" is unknown…","""S,2"",2026-03-01 00:00,1"\n4,…,"S1,2026-03-01 01:00"\n',
    )
    const args = ['import', 'impressions', '--skip-faulty', '--rejects']
    const read = (name: string) => readFileSync(path(name), 'utf8')
    expect((await world.run([...args, path('r1.csv'), '-'], text)).code).toBe(0)
    execFileSync('mkfifo', [path('pipe')])
    const writing = writeFile(path('pipe'), text)
    expect((await world.run([...args, path('r2.csv'), path('pipe')])).code).toBe(0)
    await writing
    expect([read('r1.csv'), read('r2.csv')]).toEqual([expected, expected])
    const files = [write('a.csv', text), write('b.csv', text)]
    expect((await world.run([...args, path('r3.csv'), ...files])).code).toBe(0)
    expect(read('r3.csv').match(/^\d,"[^"]*[ab]\.csv: /gm)).toHaveLength(4)
    for (const other of [files[0]!, write('log.txt', ''), '/dev/null']) {
      const stderr = like(`error: --rejects ${other} exists: …\n`)
      expect(await world.run([...args, other, files[0]!])).toMatchObject({ code: 1, stderr })
    }
    expect(read('a.csv')).toBe(text)
    const { stderr } = await world.run([...args, path('none/rejects.csv'), files[0]!])
    expect(stderr).toEqual(like(`error: --rejects ${path('none/rejects.csv')} cannot be written (ENOENT)\n`))
  })
})

describe('--dry-run', () => {
  beforeEach(addSensors)
  const counts = (...rows: string[]) => [HEADER, ...rows.map(row => `S1,2026-${row}`)].join('\n')
  const store = (text: string) => world.run(['import', 'impressions', '-', '--interval', 'hour'], text)
  const dryRun = (kind: string, files: readonly string[], ...options: string[]) =>
    world.runJson(['import', kind, ...files.map((text, i) => write(`dry-${i}.csv`, text)), '--dry-run', ...options])

  test('stores nothing, and lists the monthly totals that would change over all files', async () => {
    await store(counts('01-31 23:00,5', '02-01 00:00,6'))
    const before = await world.days()
    const files = [
      counts('02-01 00:00,7', '02-01 01:00,1'),
      counts('01-31 23:00,x', '03-01 00:00,9'),
      counts('02-01 01:00,1', '03-01 00:00,2', '02-01 00:00,7'),
    ]
    const { code, document } = await dryRun('impressions', files)
    const place = { asset_id: 'assetalpha1', asset: 'Platz' }
    expect([code, document]).toMatchObject([
      1,
      {
        files: [
          { read: 2, stored: 2, refused: false },
          { read: 2, stored: 0, rejected: 1, not_stored: 1, refused: true },
          { read: 3, stored: 1, unchanged: 2, refused: false },
        ],
        changes: [
          { ...place, month: '2026-02', old: 6, new: 8 },
          { ...place, month: '2026-03', old: null, new: 2 },
        ],
      },
    ])
    expect(await world.days()).toEqual(before)
    expect((await world.run(['import', 'impressions', '-', '--dry-run'], files[0])).stdout).toMatch(
      /nothing was stored.*assetalpha1\t.*2026-02\t/s,
    )
  })
})

/** Starts the built command, whose output nobody reads at first. */
function start(args: readonly string[]): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [MAIN, ...args], { env: { PATH: process.env.PATH, ...settingsOf(world.database) } })
}

describe('with more messages than its reader takes', () => {
  /** Starts an import of files with a fault each, whose names are long, and of one without. */
  const startMany = () => {
    const deep = join(...Array<string>(10).fill('d'.repeat(200)))
    mkdirSync(path(deep), { recursive: true })
    const invalid = Array<string>(100).fill(write(join(deep, 'invalid.csv'), 'id,name\nX,Alder\n'))
    return start(['import', 'companies', ...invalid, write('a.csv', 'name\nAsh\n')])
  }

  test('ends when the reader of its messages has gone', async () => {
    const child = startMany()
    child.stdout.resume()
    child.stderr.once('data', () => child.stderr.destroy())
    expect((await once(child, 'close'))[0]).toBe(1)
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

test('stores nothing when it is interrupted, and does not block the next one', async () => {
  await addSensors()
  const file = write('counts.csv', `${HEADER}\nS1,2026-01-01T23:00,1\nS1,2026-01-02T00:00,2\n`)
  const lock = await Lock.take(world.database.ownerUrl, 'LOCK TABLE operations IN SHARE MODE')
  const command = new Command(['import', 'impressions', file], settingsOf(world.database))
  await lock.untilAwaited()
  const { code, stderr } = await command.end('SIGINT')
  expect([code, stderr]).toEqual([1, 'error: interrupted by SIGINT\n'])
  await lock.release()
  await world.rows(`SELECT FROM locks WHERE name = 'import' FOR UPDATE`)
  expect(await world.days()).toEqual([])
  expect(await world.runJson(['import', 'impressions', file])).toMatchObject({ code: 0 })
  expect(await world.days()).toHaveLength(2)
})
