/**
 * Imports files of companies, vendors, assets, health checks, origins and notes by the command. Each case of `entities.txt`:
 *
 *     == what it shows
 *     $ KIND and the options of `import`, as in a shell
 *     the lines of the file
 *     > the figures that are not zero
 *     ! LINE: reason                 each error; `…` is any text
 *     = a row of what is stored      after the last file, which then changes nothing if it is imported again
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RowError } from '../../db/file-errors'
import type { Kind } from '../../imports/kind-names'
import { stored, unchanged } from '../support/outcomes'
import { like, splitWords } from '../support/text'
import { World } from '../support/world'
import { Random } from '../world/random'

let world: World
beforeAll(async () => {
  world = await World.open()
})
afterAll(() => world.stop())

beforeEach(async () => {
  await world.clear()
  await world.rows('DELETE FROM notes')
  await world.make.together(async make => {
    const company = await make.company('Alder', { id: 'companya1' })
    const asset = await make.asset({ company, id: 'assetone1', legacy_id: 101, name: 'Zoo, east gate' })
    await make.asset({ company, id: 'assettwo2', legacy_id: 102, name: 'Two' })
    await make.sensor({ asset, serial: 'S1' })
  })
})

/** SQL: an id, unless it was made for a row without one. */
const id = (column: string) => `CASE WHEN length(${column}) = 24 THEN 'new' ELSE ${column} END`
const utc = (column: string) => `${column} AT TIME ZONE 'UTC'`

/** The columns of what is stored, and where they are, in order. */
const STORED: Partial<Record<Kind, [columns: string[], from: string]>> = {
  companies: [[id('id'), 'name'], 'companies ORDER BY name'],
  vendors: [['name', 'own', 'native_minutes'], 'vendors WHERE length(name) = 1 ORDER BY name'],
  assets: [
    [
      ...['legacy_id', 'name', 'city', 'status', 'indoors', 'venue_type_id', 'venue_taxonomy', 'external_ids'],
      'ARRAY(SELECT key FROM asset_external_ids WHERE asset = number ORDER BY key)',
    ],
    'assets ORDER BY legacy_id',
  ],
  health: [
    ['p.a', 'p.b', 'p.c', 'p.d', 'p.e'],
    `(SELECT 'latest' AS a, health_status AS b, ${utc('health_checked_at')} AS c, ${utc('health_last_seen_at')} AS d, health_reason AS e FROM sensors) AS p`,
  ],
  origins: [['date', 'impressions'], 'origin_days'],
  notes: [
    [id('n.id'), 'a.legacy_id', 's.serial', 'from_date', 'to_date', 'kind', 'text', 'is_internal'],
    `notes n LEFT JOIN assets a ON a.number = n.asset LEFT JOIN sensors s ON s.number = n.sensor ORDER BY text`,
  ],
}
const PERIODS = [[utc('from_time'), utc('to_time'), 'status'], 'sensor_health ORDER BY from_time'] as const

async function readStored(kind: Kind): Promise<string[]> {
  const all = kind === 'health' ? [STORED.health!, PERIODS] : [STORED[kind]!]
  const found = []
  for (const [columns, from] of all) {
    const texts = columns.map(column => `(${column})::text`)
    found.push(...(await world.rows(`SELECT array_to_string(ARRAY[${texts}], '|', 'null') AS row FROM ${from}`)))
  }
  return found.map(({ row }) => `${row}`)
}

interface File {
  kind: Kind
  options: string
  lines: string[]
  /** Results by their mark. */
  results: Record<'>' | '!', string[]>
}

function readCases(): [name: string, files: File[], rows: string[]][] {
  const cases = readFileSync(join(__dirname, 'entities.txt'), 'utf8').split(/^== /m).slice(1)
  return cases.map(text => {
    const [name = '', ...parts] = text.trimEnd().split('\n$ ')
    const files = parts.map((part): File => {
      const [head = '', ...all] = part.split('\n')
      const [kind, options = ''] = head.split(/ (.*)/) as [Kind, string?]
      const marked = (mark: string) => all.flatMap(line => (line.startsWith(`${mark} `) ? line.slice(2) : []))
      const results = { '>': marked('>'), '!': marked('!') }
      return { kind, options, lines: all.filter(line => !/^[>!=] /.test(line)), results }
    })
    return [name, files, [...text.matchAll(/^= (.*)$/gm)].map(([, row = '']) => row)]
  })
}

async function importFile({ kind, options, lines }: File): Promise<File['results']> {
  const args = ['import', kind, '-', ...splitWords(options)]
  const { document } = await world.runJson(args, lines.join('\n'))
  const { read: _, ...figures } = document.total
  const shown = Object.entries(figures).flatMap(([name, figure]) => (figure === 0 ? [] : `${name} ${figure}`))
  const errors = document.files[0].faults.map(({ line, reason }: RowError) => `${line}: ${reason}`)
  return { '>': [shown.join(', ')], '!': errors }
}

test.each(readCases())('%s', async (_, files, rows) => {
  for (const file of files) {
    const { '>': figures, '!': errors } = file.results
    expect([file.lines, await importFile(file)]).toEqual([file.lines, { '>': figures, '!': errors.map(like) }])
  }
  const last = files.at(-1)!
  expect(await readStored(last.kind)).toEqual(rows)
  if (last.results['!'].length === 0)
    expect((await importFile(last))['>']).toEqual([`unchanged ${last.lines.length - 1}`])
  expect(await readStored(last.kind)).toEqual(rows)
})

test('an asset has all columns, and at most fifty ids in other systems', async () => {
  const full = {
    ...{ id: 'assetfull1', legacy_id: 7, company_id: 'companya1', name: 'Big, bright', description: 'By the river' },
    ...{ media_type: 'digital', format: 'billboard', venue_type_id: 30101, status: 'inactive', indoors: true },
    ...{ facing_degrees: 359, width_m: 9.5, height_m: 3.25, latitude: 52.5, longitude: 13.4, address: 'Am Ufer 1' },
    ...{ city: 'Berlin', region: 'DE-BE', postal_code: '10115', country: 'DE', time_zone: 'Europe/Berlin' },
  }
  const values = Object.values(full).map(value => `"${value}"`)
  const lines = [Object.keys(full).join(), values.join()]
  expect(await world.import('assets', lines)).toEqual(stored(1))
  expect(await world.rows(`SELECT * FROM assets WHERE id = 'assetfull1'`)).toMatchObject([full])
  expect(await world.import('assets', lines)).toEqual(unchanged(1))
  const systems = (count: number, first = 0) => Array.from({ length: count }, (_, i) => `external_id:s${first + i}`)
  expect(await world.import('assets', [`id,${systems(50)}`, `assetone1${',x'.repeat(50)}`])).toEqual(stored(1))
  const { errors } = await world.import('assets', [`id,${systems(2, 49)}`, 'assetone1,x,x'])
  expect(errors).toEqual([like('2: an asset has at most 50 ids in other systems, but this one would have 51')])
})

test('health checks stay in the history, whatever comes in whatever order', async () => {
  const random = new Random(7)
  const checks = Array.from({ length: 60 }, (_, i) => ({
    time: Date.UTC(2026, 2, 1, 0, 15 * i),
    status: ['healthy', 'offline', 'degraded'][random.below(3)],
    order: random.below(1_000),
  })).sort((a, b) => a.order - b.order)
  const lines = checks.map(({ time, status }) => `S1,${new Date(time).toISOString()},${status}`)
  const give = (...rows: string[]) => world.import('health', ['sensor,checked_at,status', ...rows])
  for (const line of lines.slice(0, 12)) await give(line)
  await give(...lines.slice(6))
  expect(await give(...lines)).toEqual(unchanged(60))
  const rows = await world.rows('SELECT from_time, to_time, status FROM sensor_health ORDER BY from_time')
  const statusesAt = (time: number) =>
    rows.flatMap(({ from_time, to_time, status }) =>
      Date.parse(`${from_time}`) <= time && time <= Date.parse(`${to_time}`) ? status : [],
    )
  expect(checks.map(({ time }) => statusesAt(time))).toEqual(checks.map(({ status }) => [status]))
  expect(rows.every((row, i) => row.status !== rows[i + 1]?.status)).toBe(true)
})

test('origins have names and numbers of any kind up to the greatest total of a day, and are ordered by impressions, then by the bytes of names', async () => {
  const cities = [
    'a "quoted", one',
    "d'Or",
    '{NULL}',
    '\\\\x41',
    'Köln',
    '東京',
    '\uffee',
    '🙂',
    'x '.repeat(90).trim(),
  ]
  // The greatest total of a day, with the others.
  const counts = [0, 255, 256, 65_535, 65_536, 2_147_352_020]
  const header = 'asset_id,date,country,region,city,impressions'
  const file = [
    header,
    ...cities.map(city => `101,2026-03-01,DE,DE-BE,"${city.replaceAll('"', '""')}",5`),
    ...counts.map((count, i) => `101,2026-03-01,US,US-NY,City ${i},${count}`),
  ]
  expect(await world.import('origins', file)).toEqual(stored(15))
  const [company] = await world.rows('SELECT id, number FROM companies')
  const key = await world.make.key([company as { id: string; number: number }])
  const path = '/v1/partner/assets/assetone1/impressions/by-city?from_date=2026-03-01&to_date=2026-03-01'
  const { data, total } = await world.read(path, key)
  const bytes = cities.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  const names = ['City 5', 'City 4', 'City 3', 'City 2', 'City 1', ...bytes, 'City 0']
  expect(data.map(({ city }: { city: string }) => city)).toEqual(names)
  expect(total).toBe(2_147_483_647)
  const { errors, stored: storedRows } = await world.import('origins', [header, '101,2026-03-01,US,US-NY,Other,1'])
  const reason =
    'the total of origins of assetone1 on 2026-03-01 would be 2147483648; the greatest total of a day is 2147483647'
  expect([errors, storedRows]).toEqual([[`file: ${reason}`], 0])
})
