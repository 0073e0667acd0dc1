import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decode, encode } from 'iconv-lite'
import { NO_FIGURES } from '../../db/figures'
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

  test('prints what was detected, and how times are read', async () => {
    const lines = ['Zähler Platz;;', '', 'sensor;start;impressions', 'S1;01.02.2026 00:00;1.000']
    const file = write('bonn.csv', lines.join('\n'))
    const args = ['import', 'impressions', file, '--time-format', 'dd.MM.yyyy HH:mm', '--thousands', '.']
    const { code, stdout, stderr } = await world.run(args)
    expect([code, stderr]).toEqual([
      0,
      `${file}: semicolons; 2 lines before the header; times read as dd.MM.yyyy HH:mm\n`,
    ])
    expect(stdout).toContain('Changed: 1 asset (Platz), 2026-02-01 to 2026-02-01.\n')
    expect(stdout).toMatch(
      /curl -H "X-API-Key: \$KEY" 'http:\S+\/v1\/partner\/assets\/assetalpha1\/impressions\/daily\?from_date=2026-02-01&to_date=2026-02-01'/,
    )
    expect(await counts()).toEqual(['S1 2026-02-01: 0=1000'])
  })

  const LOCAL = "--time-format 'dd.MM.yyyy HH:mm'"
  test.each<[string, options: string, before: string, header: string, row: string, line: number]>([
    [
      'semicolons, Latin-1 and lines before the header',
      `--encoding latin1 ${LOCAL}`,
      'Zähler;;\n\n',
      'sensor;start;impressions',
      'Brücke;01.02.2026 00:00;x',
      4,
    ],
    [
      'UTF-16 with tabs and a byte order mark',
      '',
      '\ufeff',
      'sensor\tstart\timpressions',
      'Brücke\t2026-02-01 00:00\tx',
      2,
    ],
    [
      'the number of the header line',
      '--header-line 3',
      'sensor|start|impressions\n"\n',
      'sensor|start|impressions',
      'Brücke|2026-02-01 00:00|x',
      4,
    ],
    ['no header', '--no-header --columns start,sensor,impressions', '', '', '2026-02-01 00:00,Brücke,x', 1],
    [
      'a column for each sensor',
      `${LOCAL} --wide --map start=Zeit --ignore Sum`,
      '',
      'Zeit;Brücke;S1;Sum',
      '01.02.2026 00:00;x;3;0',
      2,
    ],
    [
      'a column for each hour',
      '--across --map sensor=Site --map start=Date',
      '',
      'Site;Date;00:00;01:00',
      'Brücke;2026-02-01;x;4',
      2,
    ],
    ['comments', '--comment #', '#a\n'.repeat(40), 'sensor,start,impressions', 'Brücke,2026-02-01 00:00,x', 42],
    [
      'a row that looks like a comment',
      '--comment 2026',
      '',
      'start,sensor,impressions',
      '"2026-02-01 00:00",Brücke,x',
      2,
    ],
  ])(
    'writes rejects with %s, which can be corrected and imported with the same options',
    async (_, given, before, header, row, line) => {
      const rejects = path('rejects.csv')
      rmSync(rejects, { force: true })
      const encoding = given.includes('latin1') ? 'latin1' : before === '\ufeff' ? 'utf-16le' : 'utf-8'
      const options = [...given.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word]) => quoted ?? word!)
      const give = (text: string, ...more: string[]) =>
        world.runJson(['import', 'impressions', write('counts.csv', encode(text, encoding)), ...options, ...more])
      const text = `${before}${header}${header && '\n'}${row}\n`
      const first = await give(text, '--skip-faulty', '--rejects', rejects)
      expect(first.document.files).toMatchObject([{ rejected: 1, refused: false }])
      const delimiter = /[;,|\t]/.exec(row)![0]
      const head = header && `${[header, 'line', 'reason'].join(delimiter)}\n`
      const rejected = decode(readFileSync(rejects), encoding, { stripBOM: false })
      expect(rejected.startsWith([`${before}${head}${row}`, line, ''].join(delimiter))).toBe(true)
      const again = await give(rejected.replace(row, row.replace('x', '7')))
      expect(again.document.files).toMatchObject([{ rejected: 0, refused: false, faults: [] }])
      const counted = given.includes('--across') ? ' 1=4' : ''
      expect(await counts()).toContain(`Brücke 2026-02-01: 0=7${counted}`)
    },
  )

  test.each([
    ['an Excel workbook', Buffer.from('PK\x03\x04\x14\0[Content_Types].xml'), /is an Excel workbook \(\.xlsx\): save/],
    ['an old Excel workbook', Buffer.from('d0cf11e0a1b11ae1', 'hex'), /is an Excel workbook \(\.xls\): save/],
    ['a ZIP archive', Buffer.from('PK\x03\x04\x14\0counts.csv'), /is a ZIP archive: unpack it first/],
    ['a Parquet file', Buffer.from('PAR1'), /is a Parquet file/],
    ['UTF-16 without a mark', encode('sensor,start\n', 'utf-16be'), /give --encoding utf-16be/],
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
        { asset_id: 'assetalpha1', month: '2026-02', old: 6, new: 8 },
        { asset_id: 'assetalpha1', month: '2026-03', old: null, new: 2 },
      ])
      expect(await counts()).toEqual(before)
      const { stdout } = await world.run(['import', 'impressions', files[0] as string, '--dry-run'])
      expect(stdout).toMatch(
        /Dry run: nothing was stored. Monthly totals that would change:[\s\S]*assetalpha1 .*2026-02 /,
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
      expect((await world.run([...zeros, '--dry-run'])).stdout).toMatch(/2026-03 .* nothing .* 0 /)
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

  describe('--profile', () => {
    test('saves the options that are given, and reads them again; the command line wins', async () => {
      const profile = path('bonn.json')
      const file = write('counts.csv', 'Gerät;Zeit;Zahl\nS1;01.02.2026 00:00;NA\nS1;01.02.2026 01:00;2\n')
      const maps = ['sensor=Gerät', 'start=Zeit', 'impressions=Zahl'].flatMap(pair => ['--map', pair])
      const given = [...maps, '--time-format', 'dd.MM.yyyy', '--missing', 'NA,-', '--repeated-hour', 'second']
      const args = ['import', 'impressions', file, '--profile', profile]
      expect((await world.run([...args, ...given, '--dry-run'])).code).toBe(1)
      expect(() => readFileSync(profile)).toThrow('ENOENT')
      await world.run([...args, ...given])
      const { code, stderr } = await world.run([...args, '--time-format', 'dd.MM.yyyy HH:mm'])
      expect([code, stderr]).toEqual([0, expect.stringContaining(`the options were saved in ${profile}\n`)])
      expect(JSON.parse(readFileSync(profile, 'utf8'))).toEqual({
        map: ['sensor=Gerät', 'start=Zeit', 'impressions=Zahl'],
        'time-format': ['dd.MM.yyyy HH:mm'],
        missing: ['NA,-'],
        'repeated-hour': 'second',
      })
      expect((await world.run(args)).code).toBe(0)
      expect(await counts()).toEqual(['S1 2026-02-01: 1=2'])
    })

    const COLUMNS = '--map sensor=Site --map start=Date'
    test.each([
      ['start;S1|2026-02-01 00:00;2', '--wide'],
      [
        '#|start,In,Out|2026-02-01 08:00,1|2026-02-01 09:00,1,2',
        "--comment # --short-rows --sum impressions=In+Out --missing '' --set sensor=S1",
      ],
      ['Site,Date,00:00|1,2026-02-02,7', `--across --serial *=S* ${COLUMNS}`],
      [
        'sensor,Date,No,impressions|S1,2026-02-10,1,5',
        '--map start=Date+No --interval-number hour --first-interval 1 --time-zone UTC --stamps start',
      ],
    ])('keeps the options by which %s is read', async (text, options) => {
      const args = ['import', 'impressions', write('shape.csv', text.replaceAll('|', '\n'))]
      const given = options.split(' ').map(option => option.replace("''", ''))
      const profile = ['--profile', path('shape.json')]
      rmSync(path('shape.json'), { force: true })
      expect((await world.runJson([...args, ...given, ...profile])).document.total).toMatchObject({ rejected: 0 })
      const before = await counts()
      expect(before).toHaveLength(1)
      const { document } = await world.runJson([...args, ...profile])
      expect(document.total).toEqual({ ...NO_FIGURES, read: document.total.read, unchanged: document.total.read })
    })

    test.each([
      ['is no JSON', '{', 'is not a JSON object such as'],
      ['has an unknown option', '{"delimitr": ";"}', 'has the option delimitr: did you mean "delimiter"?'],
      ['has an invalid option', '{"delimiter": "x"}', 'has no valid delimiter: It must be one of , ; | or tab.'],
      ['has an option of before', '{"repeated-hour": "both"}', 'Allowed choices are first, second.'],
      ['is large', `{"serial": [${'"A=B",'.repeat(50_000)}"A=B"]}`, 'is larger than 256 KiB'],
      ['has a value of another type', '{"wide": "yes"}', 'has no valid wide: it must be true'],
    ])('that %s is reported', async (_, content, reason) => {
      const args = ['import', 'impressions', 'x.csv', '--profile', write('p.json', content)]
      const { code, document } = await world.runJson(args)
      expect([code, document.error.code]).toEqual([1, 'PROFILE_INVALID'])
      expect(document.error.message).toContain(reason)
    })
  })
})
