/**
 * Random imports, erasures and deletions of origins, compared with a map from asset, day, region and city to impressions:
 * after each step the rows, figures, responses and the days in the feed are those of the map.
 */
import { Readable } from 'node:stream'
import { dateOf, dayNumber } from '../../db/calendar/local-days'
import { runDeletion } from '../../db/operations/run-deletion'
import { chances } from '../../db/seeds/demo/random'
import { verify } from '../../db/verify/verify'
import { dryRun } from '../../imports/changes/dry-run'
import { importFile } from '../../imports/import-file'
import type { MadeAsset } from '../support/factories'
import { rounds } from '../support/rounds'
import { World } from '../support/world'

jest.setTimeout(120_000)

const CITIES = [
  'Berlin',
  'New York',
  'a "quoted", one',
  'Köln',
  '東京',
  '🙂',
  '\uffee',
  '\\x41',
  '{NULL}',
  "d'Or",
  'x '.repeat(90).trim(),
]
const REGIONS = ['DE-B', 'DE-BE', 'US-NY', 'JP-13']
const FIRST = dayNumber('2025-12-20')

/** Impressions by asset, day, region and city. */
type Model = Map<string, number>

const SEPARATOR = '|'

let world: World
let assets: MadeAsset[]
let key: string

beforeAll(async () => {
  world = await World.open()
  const company = await world.make.company()
  assets = [await world.make.asset({ company }), await world.make.asset({ company })]
  key = await world.make.key([company])
})
afterAll(() => world.stop())

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`

const fileOf = (rows: [string, string][]): Readable =>
  Readable.from([
    ['asset_id,date,country,region,city,impressions']
      .concat(rows.map(([origin, count]) => [...splitOrigin(origin).map(quoted), count].join()))
      .join('\n'),
  ])

function splitOrigin(origin: string): string[] {
  const [asset, date, region, city] = origin.split(SEPARATOR) as [string, string, string, string]
  return [asset, date, region.slice(0, 2), region, city]
}

async function readRows(): Promise<Model> {
  const { rows } = await world.owner.query(
    `SELECT concat_ws('${SEPARATOR}', a.id, date, o.region, o.city) AS origin, o.country, o.region, impressions
     FROM origins o JOIN assets a ON a.number = asset`,
  )
  for (const { country, region } of rows) expect(region.slice(0, 2)).toBe(country)
  return new Map(rows.map(({ origin, impressions }) => [origin, impressions]))
}

/** Returns the response by the contract: sums by place, the largest first, equal ones by the bytes of their names. */
function expectedResponse(model: Model, asset: string, from: string, to: string, by: 'region' | 'city') {
  const sums = new Map<string, number>()
  const days = new Set<string>()
  for (const [origin, impressions] of model) {
    const [id, date, country, region, city] = splitOrigin(origin) as [string, string, string, string, string]
    if (id !== asset || date < from || date > to) continue
    days.add(date)
    const place = JSON.stringify(by === 'city' ? { country, region, city } : { country, region })
    sums.set(place, (sums.get(place) ?? 0) + impressions)
  }
  const bytes = (place: string) => Buffer.from(Object.values(JSON.parse(place)).join('\0'))
  const total = [...sums.values()].reduce((sum, each) => sum + each, 0)
  const data = [...sums]
    .sort(([a, x], [b, y]) => y - x || Buffer.compare(bytes(a), bytes(b)))
    .map(([place, impressions]) => ({ ...JSON.parse(place), impressions }))
  return { data, total, days: days.size }
}

async function checkResponses(model: Model): Promise<void> {
  for (const { id } of assets) {
    for (const [from, to] of [
      ['2025-12-20', '2026-02-10'],
      ['2025-12-31', '2026-01-01'],
      ['2026-01-31', '2026-01-31'],
      ['2025-06-01', '2026-12-31'],
    ] as const) {
      for (const by of ['region', 'city'] as const) {
        const path = `/v1/partner/assets/${id}/impressions/by-${by}?from_date=${from}&to_date=${to}`
        const { data, total, average } = await world.read(path, key)
        const expected = expectedResponse(model, id, from, to, by)
        expect(data.map(({ share: _, ...place }: Record<string, unknown>) => place)).toEqual(expected.data)
        expect(total).toBe(expected.total)
        expect(average).toBe(expected.days === 0 ? 0 : Math.round((total / expected.days) * 100) / 100)
      }
    }
  }
}

/** Returns what the feed lists to a reader that has seen all before, as `ASSET FROM TO`. */
function changedDays(before: Model, after: Model): string[] {
  const months = new Map<string, string[]>()
  for (const origin of new Set([...before.keys(), ...after.keys()])) {
    if (before.get(origin) === after.get(origin)) continue
    const [asset, date] = splitOrigin(origin) as [string, string]
    const month = `${asset} ${date.slice(0, 7)}`
    months.set(month, [...(months.get(month) ?? []), date].sort())
  }
  return [...months].map(([month, dates]) => `${month.split(' ')[0]} ${dates[0]} ${dates.at(-1)}`).sort()
}

test('random imports, erasures and deletions of origins leave what a map of them has', async () => {
  const chance = chances('origins model')
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(chance() * items.length)] as Item
  let model: Model = new Map()
  let path = '/v1/partner/changes?limit=500'
  const readFeed = async () => {
    const { data, pagination } = await world.read(path, key)
    path = `/v1/partner/changes?limit=500&cursor=${pagination.cursor}`
    return data
      .filter(({ kind }: { kind: string }) => kind === 'origins')
      .map((row: Record<string, string>) => `${row.asset_id} ${row.from_date} ${row.to_date}`)
      .sort()
  }
  await readFeed()
  for (let step = 0; step < rounds(25, 200); step++) {
    const before = model
    model = new Map(model)
    if (chance() < 0.75) {
      const erase = chance() < 0.4
      const rows = new Map<string, string>()
      const size = 1 + Math.floor(chance() * 40)
      const days = chance() < 0.5 ? 3 : 50
      for (let i = 0; i < size; i++) {
        const date = dateOf(FIRST + Math.floor(chance() * days))
        const origin = [pick(assets).id, date, pick(REGIONS), pick(CITIES)].join(SEPARATOR)
        rows.set(origin, chance() < 0.3 ? '' : String(pick([0, 1, 255, 256, 65_535, 65_536, 2_147_483_647])))
      }
      // Some rows are in the file twice.
      const file = [...rows, ...[...rows].filter(() => chance() < 0.1)]
      const expected = { read: file.length, stored: 0, erased: 0, unchanged: file.length - rows.size }
      for (const [origin, count] of rows) {
        if (count === '' && erase && model.delete(origin)) expected.erased++
        else if (count === '' || model.get(origin) === Number(count)) expected.unchanged++
        else {
          model.set(origin, Number(count))
          expected.stored++
        }
      }
      if (chance() < 0.3) {
        await dryRun(world.owner, async tryFile => {
          expect(await tryFile('origins', fileOf(file), { erase })).toMatchObject(expected)
        })
        expect(await readRows()).toEqual(before)
      }
      expect(await importFile(world.owner, 'origins', fileOf(file), { erase })).toMatchObject(expected)
      const unchanged = { stored: 0, erased: 0, unchanged: file.length }
      expect(await importFile(world.owner, 'origins', fileOf(file), { erase })).toMatchObject(unchanged)
    } else {
      const { id } = pick(assets)
      const [from, to] = [0, 0].map(() => dateOf(FIRST + Math.floor(chance() * 50))).sort() as [string, string]
      const deleted = [...model.keys()].filter(origin => {
        const [asset, date] = splitOrigin(origin) as [string, string]
        return asset === id && date >= from && date <= to
      })
      const request = { kind: 'origins', of: [id], from, to } as const
      const plan = await runDeletion(world.owner, { request, operation: { command: 'delete origins' } })
      expect(plan.deleted.origins).toBe(deleted.length)
      for (const origin of deleted) model.delete(origin)
    }
    expect(await readRows()).toEqual(model)
    expect(await readFeed()).toEqual(changedDays(before, model))
    await checkResponses(model)
  }
  const differences: unknown[] = []
  await verify(world.owner, async difference => void differences.push(difference))
  expect(differences).toEqual([])
})

test('all origins of a month are deleted with their places', async () => {
  const { id } = assets[0] as MadeAsset
  await importFile(world.owner, 'origins', fileOf([[`${id}|2026-02-28|DE-BE|Berlin`, '1']]))
  const request = { kind: 'everything', to: '2026-12-31' } as const
  await runDeletion(world.owner, { request, operation: { command: 'retain' } })
  expect((await world.owner.query('SELECT FROM origin_months')).rowCount).toBe(0)
})

test('the database reads what the service packs', async () => {
  const { packOrigins } = jest.requireActual('../../db/calendar/packed-origins')
  const { number, company } = assets[0] as MadeAsset
  const places = JSON.stringify(Array.from({ length: 70_001 }, (_, i) => `DE-BE ${i}`))
  for (const entries of [
    [[0, 0]],
    [
      [255, 1],
      [256, 65_536],
    ],
    [[70_000, 2 ** 33]],
  ] as [number, number][][]) {
    await world.owner.query(
      `INSERT INTO origin_months (asset, company, month, places, days)
       SELECT $1, $2, '2024-01-01', $3, array_agg(CASE n WHEN 2 THEN $4::bytea END ORDER BY n) FROM generate_series(1, 31) AS n`,
      [number, company, places, packOrigins(new Map(entries))],
    )
    const month = `asset = $1 AND month = '2024-01-01'`
    const { rows } = await world.owner.query(`SELECT date, city, impressions FROM origins WHERE ${month}`, [number])
    expect(rows).toEqual(entries.map(([place, impressions]) => ({ date: '2024-01-02', city: `${place}`, impressions })))
    await world.owner.query(`DELETE FROM origin_months WHERE ${month}`, [number])
  }
})

test.each([
  ['a day of no whole entries', 1, '\\x11010203', 'days_are_packed'],
  ['a day without entries', 1, '\\x11', 'days_are_packed'],
  ['a day of numbers without a width', 1, '\\x0001', 'days_are_packed'],
  ['the 30th of February', 30, '\\x110005', 'days_are_of_month'],
])('%s is refused by the database', async (_, day, packed, constraint) => {
  const { number, company } = assets[0] as MadeAsset
  const insert = world.owner.query(
    `INSERT INTO origin_months (asset, company, month, places, days)
     SELECT $1, $2, '2025-02-01', '["DE-BE Berlin"]', array_agg(CASE n WHEN $3 THEN $4::bytea END ORDER BY n) FROM generate_series(1, 31) AS n`,
    [number, company, day, packed],
  )
  await expect(insert).rejects.toMatchObject({ constraint })
})
