import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encode } from 'iconv-lite'
import type { MonthChange } from '../../imports/changes/dry-run'
import { withoutTriggers } from '../support/databases'
import { World } from '../support/world'

jest.setTimeout(120_000)

describe('partner-metrics import of files as they come', () => {
  let world: World
  const directory = mkdtempSync(join(tmpdir(), 'partner-metrics-forms-'))
  beforeAll(async () => {
    world = await World.open()
    await world.make.together(async make => {
      const asset = await make.asset({ id: 'assetalpha1', name: 'Platz', time_zone: 'Europe/Berlin' })
      for (const serial of ['S1', 'Brücke']) await make.sensor({ asset, serial, grain: 'hour' })
    })
  })
  afterAll(async () => {
    await world.stop()
    rmSync(directory, { recursive: true })
  })
  afterEach(() => world.owner.query(withoutTriggers('DELETE FROM sensor_days')))

  const path = (name: string) => join(directory, name)
  const write = (name: string, content: string | Buffer): string => {
    writeFileSync(path(name), content)
    return path(name)
  }
  const counts = async () =>
    (await world.days()).map(
      ({ serial, date, counts: all }) =>
        `${serial} ${date}: ${[...all.entries()].flatMap(([i, count]) => (count < 0 ? [] : [`${i}=${count}`])).join(' ')}`,
    )

  test('says what changed', async () => {
    const lines = ['Zähler Platz;;', '', 'sensor;start;impressions', 'S1;01.02.2026 00:00;1.000']
    const file = write('bonn.csv', lines.join('\n'))
    const form = ['--delimiter', ';', '--header-line', '3']
    const args = ['import', 'impressions', file, ...form, '--time-format', 'dd.MM.yyyy HH:mm', '--thousands', '.']
    const { code, stdout, stderr } = await world.run(args)
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toContain('Changed: 1 asset (Platz), 2026-02-01 to 2026-02-01.\n')
    expect(await counts()).toEqual(['S1 2026-02-01: 0=1000'])
  })

  test.each<[string, options: string, text: string, rejects: string[]]>([
    [
      'Latin-1 behind lines before the header',
      '--encoding latin1 --delimiter ; --header-line 3',
      'Zähler;;\n\nsensor;start;impressions\r\nBrücke;2026-02-01 00:00;x\r\n',
      ['4,…,"Brücke;2026-02-01 00:00;x"'],
    ],
    [
      'UTF-16 with a byte order mark',
      '--delimiter tab',
      '\ufeffsensor\tstart\timpressions\nBrücke\t2026-02-01 00:00\tx',
      ['2,…,"Brücke\t2026-02-01 00:00\tx"'],
    ],
    [
      'no header, comments and quotes over lines',
      '--no-header --columns start,sensor,impressions --comment #',
      '#a\n2026-02-01 00:00,"Br\n""ücke""",1\r2026-02-01 00:00,Br"ücke,1\n#b\n=1,S1,x\n2026-02-01 00:00,S1,2\n',
      ['2,…,"2026-02-01 00:00,""Br\n""""ücke"""""",1"', '4,…,"2026-02-01 00:00,Br""ücke,1"', `6,…,"'=1,S1,x"`],
    ],
    [
      'several cells of a row, and rows that are compared at the end',
      '--wide',
      'start,Brücke,S1\n2026-02-01 00:00,x,y\n2026-02-01 01:00,1,2\n2026-02-01 01:00,1,3\n',
      ['2,"sensor ""Brücke"": …; sensor ""S1"": …","2026-02-01 00:00,x,y"', '4,…,"2026-02-01 01:00,1,3"'],
    ],
  ])('writes line, reason and text of rejected rows of a file with %s', async (_, given, text, expected) => {
    const rejects = path('rejects.csv')
    rmSync(rejects, { force: true })
    const encoding = given.includes('latin1') ? 'latin1' : text.startsWith('\ufeff') ? 'utf-16le' : 'utf-8'
    const file = write('counts.csv', encode(text, encoding))
    const args = ['import', 'impressions', file, ...given.split(' '), '--skip-faulty', '--rejects', rejects]
    const { document } = await world.runJson(args)
    expect(document.files).toMatchObject([{ refused: false }])
    const rows = readFileSync(rejects, 'utf8')
    const pattern = ['line,reason,row', ...expected].map(row =>
      row.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&').replaceAll('…', '.*'),
    )
    expect(rows).toMatch(new RegExp(`^${pattern.join('\n')}\n$`))
  })

  test.each([
    ['an Excel workbook', Buffer.from('PK\x03\x04\x14\0[Content_Types].xml'), /is an Excel workbook \(\.xlsx\): save/],
    ['an old Excel workbook', Buffer.from('d0cf11e0a1b11ae1', 'hex'), /is an Excel workbook \(\.xls\): save/],
    ['a ZIP archive', Buffer.from('PK\x03\x04\x14\0counts.csv'), /is a ZIP archive: unpack it first/],
    ['a Parquet file', Buffer.from('PAR1'), /is a Parquet file/],
    ['UTF-16 without a mark', encode('sensor,start\n', 'utf-16be'), /if the file is UTF-16, give --encoding$/],
  ])('says that a file is or has %s', async (_, bytes, message) => {
    const { document } = await world.runJson(['import', 'impressions', write('x.csv', bytes)])
    expect(document.files).toMatchObject([{ refused: true, faults: [{ reason: expect.stringMatching(message) }] }])
  })

  describe('--dry-run', () => {
    test('stores nothing, and lists the monthly totals that would change over all files', async () => {
      const header = 'sensor,start,impressions\n'
      const stored = write('a.csv', `${header}S1,2026-01-31 23:00,5\nS1,2026-02-01 00:00,6\n`)
      await world.run(['import', 'impressions', stored])
      const before = await counts()
      const files = [
        write('b.csv', `${header}S1,2026-02-01 00:00,7\nS1,2026-02-01 01:00,1\n`),
        write('c.csv', `${header}S1,2026-01-31 23:00,x\nS1,2026-03-01 00:00,9\n`),
        write('d.csv', `${header}S1,2026-02-01 01:00,1\nS1,2026-03-01 00:00,2\nS1,2026-02-01 00:00,7\n`),
      ]
      const { code, document } = await world.runJson(['import', 'impressions', ...files, '--dry-run'])
      expect(code).toBe(1)
      expect(document.files).toMatchObject([
        { read: 2, stored: 2, refused: false },
        { read: 2, stored: 0, rejected: 1, not_stored: 1, refused: true },
        { read: 3, stored: 1, unchanged: 2, refused: false },
      ])
      expect(document.changes).toEqual([
        { asset_id: 'assetalpha1', asset: 'Platz', month: '2026-02', old: 6, new: 8 },
        { asset_id: 'assetalpha1', asset: 'Platz', month: '2026-03', old: null, new: 2 },
      ])
      expect(await counts()).toEqual(before)
      const { stdout } = await world.run(['import', 'impressions', files[0] as string, '--dry-run'])
      expect(stdout).toMatch(
        /Dry run: nothing was stored. Monthly totals that would change:[\s\S]*assetalpha1\t.*2026-02\t/,
      )
    })

    test('tells a month of zeros from one without counts', async () => {
      const months = async (counts: [string, string][], ...options: string[]) => {
        const rows = counts.map(([month, count]) => `S1,2026-${month}-01 00:00,${count}`)
        const file = write('zeros.csv', ['sensor,start,impressions', ...rows].join('\n'))
        const { document } = await world.runJson(['import', 'impressions', file, '--dry-run', ...options])
        return document.changes.map(({ month, old, new: after }: MonthChange) => [month, old, after])
      }
      const rows = 'sensor,start,impressions\nS1,2026-01-01 00:00,0\nS1,2026-02-01 00:00,0\n'
      await world.run(['import', 'impressions', write('stored.csv', rows)])
      const counts: [string, string][] = [
        ['01', '5'],
        ['02', ''],
        ['03', '0'],
      ]
      expect(await months(counts)).toEqual([
        ['2026-01', 0, 5],
        ['2026-03', null, 0],
      ])
      expect(await months(counts.slice(1), '--erase')).toEqual([
        ['2026-02', 0, null],
        ['2026-03', null, 0],
      ])
      const zeros = ['import', 'impressions', write('zeros.csv', 'sensor,start,impressions\nS1,2026-03-01 00:00,0\n')]
      expect((await world.run([...zeros, '--dry-run'])).stdout).toMatch(/2026-03\tnothing\t0\n/)
    })

    test('moves the counts of each file in turn, and none of them in the end', async () => {
      await world.make.together(async make => {
        const [company] = await world.rows('SELECT id, number FROM companies')
        await make.asset({ company: company as { id: string; number: number }, id: 'assetbeta01' })
      })
      await world.run(['import', 'impressions', '-'], 'sensor,start,impressions\nS1,2026-02-01 00:00,5\n')
      const before = await counts()
      const move = (asset: string) => `serial,asset_id,installed_at\nS1,${asset},2026-01-30T00:00Z\n`
      const correct = (zone: string) => `id,time_zone\nassetalpha1,${zone}\n`
      for (const [kind, ...texts] of [
        ['sensors', move('assetbeta01'), move('assetalpha1'), move('assetbeta01')],
        ['assets', correct('America/New_York'), correct('Asia/Tokyo'), correct('Europe/Berlin')],
      ] as const) {
        const files = texts.map((text, i) => write(`${kind}-${i}.csv`, text))
        const { code, document } = await world.runJson(['import', kind, ...files, '--dry-run'])
        expect([code, document.total]).toMatchObject([0, { read: 3, stored: 3 }])
        expect(await counts()).toEqual(before)
      }
    })

    test('of other kinds lists no totals', async () => {
      const file = write('companies.csv', 'name\nAlder\n')
      const sequence = () => world.rows('SELECT last_value, is_called FROM companies_number_seq')
      const before = await sequence()
      const { document } = await world.runJson(['import', 'companies', file, file, '--dry-run'])
      expect(document).toMatchObject({ total: { read: 2, stored: 1, unchanged: 1 }, changes: [] })
      expect(await world.rows("SELECT FROM companies WHERE name = 'Alder'")).toEqual([])
      expect(await sequence()).toEqual(before)
    })
  })
})
