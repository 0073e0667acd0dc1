import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { NO_FIGURES } from '../../db/figures'
import { rounds } from '../support/rounds'
import { like } from '../support/text'
import { World } from '../support/world'

const DATA = join(__dirname, '..', '..', '..', 'shared', 'data', 'munster')
const STATIONS = join(DATA, 'stations.csv')
const COUNTS = join(DATA, 'counts_quarter_hour.csv.gz')

const options = (name: string, values: readonly string[]): string[] => values.flatMap(value => [`--${name}`, value])

const ASSETS = [
  ...options('map', ['legacy_id=station_id', 'region=region_iso3166_2']),
  ...options('ignore', ['coordinate_quality', 'district_number', 'district_name']),
  ...options('set', ['company_id=Stadt Münster', 'media_type=static', 'format=other', 'country=DE']),
]

const SENSORS = [
  ...options('map', ['serial=station_id', 'asset_id=station_id']),
  ...options('ignore', ['name', 'latitude', 'longitude', 'coordinate_quality', 'district_number', 'district_name']),
  ...options('ignore', ['city', 'region_iso3166_2', 'time_zone']),
  ...options('set', ['vendor_id=Counting stations', 'model=Bicycle counter', 'billable_state=billable']),
  ...options('set', ['installed_at=2025-10-01']),
]

const IMPRESSIONS = [
  ...options('map', ['sensor=station_id', 'start=local_start', 'impressions=count']),
  ...options('ignore', ['status']),
  '--repeated-hour',
  'first',
]

const present = existsSync(COUNTS)
if (!present)
  console.warn('Real counts (Münster) are not there: their test is skipped.')

  /** Real counts of bicycles, Stadt Münster, dl-de/by-2-0, brought in by the operator's commands alone. */
;(present ? describe : describe.skip)('the counting stations of Münster', () => {
  let world: World
  beforeAll(async () => {
    world = await World.open()
  })
  afterAll(() => world.stop())

  test('come in whole, and every day adds up, in the tables and over HTTP', async () => {
    await world.import('companies', ['name', 'Stadt Münster'])
    await world.import('vendors', ['name,own,finest_grain', 'Counting stations,false,quarter_hour'])
    expect(await world.run(['import', 'assets', STATIONS, ...ASSETS])).toMatchObject({ code: 0, stderr: '' })
    expect(await world.run(['import', 'sensors', STATIONS, ...SENSORS])).toMatchObject({ code: 0, stderr: '' })
    // One station counted hours until June: hours hold all of its counts.
    const refused = await world.runJson(['import', 'impressions', COUNTS, ...IMPRESSIONS])
    const reason = like('the rows of sensor "300037932" from 2025-10-01 to 2026-06-08 are multiples of 1 hour apart…')
    expect([refused.code, refused.document.files[0].faults]).toMatchObject([1, [{ reason }]])
    await world.import('vendors', ['name,own,finest_grain', 'Hourly stations,false,hour'])
    await world.import('sensors', ['serial,vendor_id', '300037932,Hourly stations'])
    // Rows that are added up have one length in a file: the hours come by themselves, before the quarter hours.
    const [header = '', ...lines] = gunzipSync(readFileSync(COUNTS)).toString().trimEnd().split('\n')
    const hours = lines.filter(line => /^300037932,(.*:00),/.test(line) && line < '300037932,2026-06-09T11')
    const directory = mkdtempSync(join(tmpdir(), 'partner-metrics-munster-'))
    writeFileSync(join(directory, 'hours.csv'), [header, ...hours].join('\n'))
    const first = await world.runJson(['import', 'impressions', join(directory, 'hours.csv'), ...IMPRESSIONS])
    rmSync(directory, { recursive: true })
    expect([first.code, first.document.total]).toEqual([0, { ...NO_FIGURES, read: 1645, stored: 1645 }])
    const { code, document } = await world.runJson(['import', 'impressions', COUNTS, ...IMPRESSIONS, '--sum-to-grain'])
    const figures = { ...NO_FIGURES, read: 301_592, unchanged: 1645, dropped: 2 }
    expect([code, document.total]).toEqual([0, { ...figures, stored: 299_945 }])
    expect(document.files[0].incomplete).toEqual([{ sensor: '300037932', start: '2026-06-09T11:00+02:00', parts: 2 }])
    expect(document).toMatchObject({ implausible: [], implausible_total: 0 })
    expect(
      await world.rows('SELECT (SELECT count(*) FROM assets) AS assets, (SELECT count(*) FROM sensors) AS sensors'),
    ).toEqual([{ assets: 23, sensors: 23 }])

    const expected = new Map<string, [impressions: number, observed: number]>()
    const seen = new Set<string>()
    for (const line of lines) {
      const [station = '', start = '', count = ''] = line.split(',')
      if (station === '300037932' && start.startsWith('2026-06-09T11')) continue
      const key = `${station} ${start.slice(0, 10)}`
      const [sum, observed] = expected.get(key) ?? [0, 0]
      const isNew = station !== '300037932' || !seen.has(`${station} ${start.slice(0, 13)}`)
      seen.add(`${station} ${start.slice(0, 13)}`)
      expected.set(key, [sum + Number(count), observed + (isNew ? 1 : 0)])
    }
    const stored = new Map(
      (await world.days()).map(day => [`${day.serial} ${day.date}`, [day.impressions, day.observed]]),
    )
    expect(stored).toEqual(expected)

    const again = await world.runJson(['import', 'impressions', COUNTS, ...IMPRESSIONS, '--sum-to-grain'])
    expect(again.document.total).toMatchObject({ stored: 0, unchanged: 301_590, dropped: 2 })

    const [company] = await world.rows('SELECT id, number FROM companies')
    const key = await world.make.key([company as { id: string; number: number }])
    const read = (path: string) => world.read(path, key)
    const served = new Map<string, [impressions: number, observed: number]>()
    const { data: assets } = await read('/v1/partner/assets?limit=500')
    for (const [i, { id, legacy_id }] of assets.entries()) {
      const path = `/v1/partner/assets/${id}/impressions`
      const daily = await read(`${path}/daily?from_date=2025-10-01&to_date=2026-08-31`)
      for (const { date, impressions, coverage } of daily.data) {
        // Autumn lengthens a day, spring shortens one.
        const length = date === '2025-10-26' ? 25 : date === '2026-03-29' ? 23 : 24
        const observed = Math.round(coverage * length * (`${legacy_id}` === '300037932' ? 1 : 4))
        if (impressions !== null) served.set(`${legacy_id} ${date}`, [impressions, observed])
      }
      // Each null of five years has a reason. What lies between counts is not known.
      if (i >= rounds(4, 23) && `${legacy_id}` !== '300037932') continue
      const { nulls, unexplained, reasons } = await findUnexplained(read, id, '2021-09-01', '2026-08-31')
      expect({ unexplained, reasons }).toEqual({ unexplained: [], reasons: ['no_sensor', 'not_delivered', 'unknown'] })
      expect(nulls).toBeGreaterThan(1_400 * 25)
    }
    expect(served).toEqual(expected)
  }, 120_000)
})

/** Returns the nulls of an asset by day, and by hour where it has hours, that are in no gap; and the reasons of its gaps. */
async function findUnexplained(
  // biome-ignore lint/suspicious/noExplicitAny: bodies are JSON
  read: (path: string) => Promise<any>,
  asset: string,
  from: string,
  to: string,
): Promise<{ nulls: number; unexplained: string[]; reasons: string[] }> {
  const path = `/v1/partner/assets/${asset}/impressions`
  const gaps: Record<'from' | 'to' | 'reason', string>[] = (await read(`${path}/gaps?from_date=${from}&to_date=${to}`))
    .data
  const periods = gaps.map(gap => ({ from: Date.parse(gap.from), to: Date.parse(gap.to) }))
  const nulls: string[] = []
  for (const grain of ['day', 'hour']) {
    for (let day = Date.parse(from); day <= Date.parse(to); day += 420 * 86_400_000) {
      const last = new Date(Math.min(day + 419 * 86_400_000, Date.parse(to))).toISOString().slice(0, 10)
      const range = `from_date=${new Date(day).toISOString().slice(0, 10)}&to_date=${last}`
      const { data = [] } = await read(`${path}/timeseries?grain=${grain}&${range}`)
      for (const { start, impressions } of data) if (impressions === null) nulls.push(start)
    }
  }
  const isExplained = (start: string) =>
    periods.some(gap => gap.from <= Date.parse(start) && gap.to > Date.parse(start))
  const unexplained = nulls.filter(start => !isExplained(start))
  return { nulls: nulls.length, unexplained, reasons: [...new Set(gaps.map(({ reason }) => reason))].sort() }
}
