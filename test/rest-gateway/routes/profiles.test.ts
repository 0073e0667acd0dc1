import { parse } from 'csv-parse/sync'
import type { Made, MadeAsset } from '../../support/factories'
import { World } from '../../support/world'

let world: World
let key: string
let company: Made
/** By ascending id: with a whole week, with a part of one, with daily counts, and without a sensor. */
let assets: MadeAsset[]
let [whole, part, daily, bare]: (MadeAsset | undefined)[] = []

const RANGE = 'from_date=2026-06-01&to_date=2026-06-14'

beforeAll(async () => {
  world = await World.open()
  company = await world.make.company()
  key = await world.make.key([company])
  await world.make.together(async make => {
    const assetIn = (time_zone = 'Europe/Berlin') => make.asset({ company, time_zone })
    whole = await assetIn()
    const sensors = [
      await make.sensor({ asset: whole, grain: 'quarter_hour' }),
      await make.sensor({ asset: whole, grain: 'hour' }),
    ]
    for (let day = 1; day <= 14; day++) {
      const date = `2026-06-${String(day).padStart(2, '0')}`
      for (const [i, sensor] of sensors.entries()) {
        await make.counts(sensor, date, interval => interval * (i + 1) + day)
      }
    }
    part = await assetIn('America/St_Johns')
    const hourly = await make.sensor({ asset: part, grain: 'hour' })
    await make.counts(hourly, '2026-06-02', hour => (hour === 3 ? -1 : hour))
    daily = await assetIn()
    await make.counts(await make.sensor({ asset: daily, grain: 'day' }), '2026-06-02', () => 7)
    bare = await assetIn()
  })
  assets = [whole!, part!, daily!, bare!].sort((a, b) => (a.id < b.id ? -1 : 1))
})
afterAll(() => world.stop())

const get = (path: string) => world.get(`/v1/partner/${path}`, { key })
const read = (path: string) => world.read(`/v1/partner/${path}`, key)
const profileOf = (asset: MadeAsset | undefined, more = '') =>
  read(`assets/${asset?.id}/impressions/profile?${RANGE}${more}`)

const readCsv = async (more: string) => {
  const { text, headers } = await get(`impressions/profiles?${RANGE}&output=hivestack${more}`)
  expect(headers['content-type']).toMatch('text/csv')
  return parse(text, { columns: true }) as { asset_id: string; impressions: string; error: string }[]
}

test.each(['', '&seconds=9'])('an asset has the rows that its own profile has%s', async seconds => {
  const { data } = await read(`impressions/profiles?${RANGE}${seconds}`)
  expect(data.map(({ asset_id }: { asset_id: string }) => asset_id)).toEqual(assets.map(({ id }) => id))
  for (const { asset_id, error, ...profile } of data) {
    if (asset_id === daily?.id) expect(error.code).toBe('GRAIN_NOT_AVAILABLE')
    else
      expect(profile).toEqual(
        await profileOf(
          assets.find(({ id }) => id === asset_id),
          seconds,
        ),
      )
  }
})

test('seconds add the audience of so many seconds to each row', async () => {
  const { data } = await profileOf(part, '&seconds=12')
  const plain = await profileOf(part)
  expect(plain.data[0]).not.toHaveProperty('audience')
  expect(data.map(({ audience, ...row }: Record<string, unknown>) => row)).toEqual(plain.data)
  for (const { average_impressions: average, audience } of data) {
    if (average === null) expect(audience).toBeNull()
    else expect(audience).toBeCloseTo((average * 12) / 3600, 4)
  }
})

test('pages and filters are those of lists of assets', async () => {
  const first = await read(`impressions/profiles?${RANGE}&limit=3`)
  expect(first.pagination).toMatchObject({ has_more: true, limit: 3 })
  const rest = await read(`impressions/profiles?${RANGE}&limit=3&cursor=${first.pagination.cursor}`)
  expect([...first.data, ...rest.data].map(({ asset_id }) => asset_id)).toEqual(assets.map(({ id }) => id))
  expect((await read(`impressions/profiles?${RANGE}&asset_ids=${bare?.id}`)).data).toHaveLength(1)
  expect((await read(`impressions/profiles?${RANGE}&country=AT`)).data).toEqual([])
})

test('flat formats have a row per hour, and the audience only with seconds', async () => {
  const { data } = await read(`impressions/profiles?${RANGE}&seconds=30`)
  const rows = data.flatMap(({ asset_id, data: hours = [] }: { asset_id: string; data?: object[] }) =>
    hours.map(hour => ({ asset_id, ...hour })),
  )
  const lines = async (more: string) =>
    (await get(`impressions/profiles?${RANGE}&output=ndjson${more}`)).text
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
  expect(await lines('&seconds=30')).toEqual(rows)
  expect(await lines('')).toEqual(rows.map(({ audience, ...row }: Record<string, unknown>) => row))
  const header = async (more: string) =>
    (await get(`impressions/profiles?${RANGE}&output=csv${more}`)).text.split('\r\n')[0]
  expect(await header('')).toBe('asset_id,weekday,hour,average_impressions,hours_observed,share')
  expect(await header('&seconds=1')).toMatch(/,share,audience$/)
  expect(await header('&country=AT')).toBe(await header(''))
})

describe('for Hivestack', () => {
  const values = async (more: string, field: string) => {
    const { data } = await profileOf(whole, more)
    return data.map((row: Record<string, number>) => row[field]).join()
  }

  test.each([
    ['', 'average_impressions'],
    ['&seconds=9', 'audience'],
  ])('an asset has 168 values in one field%s', async (seconds, field) => {
    const rows = await readCsv(seconds)
    expect(rows.map(({ asset_id }) => asset_id)).toEqual(assets.map(({ id }) => id))
    const row = rows.find(({ asset_id }) => asset_id === whole?.id)
    expect(row).toEqual({ asset_id: whole?.id, impressions: await values(seconds, field), error: '' })
    expect(row?.impressions.split(',')).toHaveLength(168)
  })

  test('an hour without data is an error of its asset, or the 0 that was asked for', async () => {
    const rowOf = async (asset: MadeAsset | undefined, more = '') =>
      (await readCsv(more)).find(({ asset_id }) => asset_id === asset?.id)
    expect(await rowOf(part)).toMatchObject({
      impressions: '',
      error: `no data: Monday 00-23; Tuesday 03; ${['Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'].map(day => `${day} 00-23`).join('; ')}`,
    })
    const filled = await rowOf(part, '&missing=0')
    expect(filled?.error).toBe('')
    expect(filled?.impressions.split(',').map(Number)).toEqual(
      Array.from({ length: 168 }, (_, slot) => (slot >= 24 && slot < 48 && slot !== 27 ? slot - 24 : 0)),
    )
    for (const more of ['', '&missing=0']) {
      expect(await rowOf(daily, more)).toMatchObject({
        impressions: '',
        error: expect.stringContaining('nothing finer'),
      })
    }
  })
})

test.each([
  ['seconds=0', 'seconds'],
  ['seconds=86401', 'seconds'],
  ['seconds=1.5', 'seconds'],
  ['missing=0', 'missing'],
  ['output=hivestack&missing=1', 'missing'],
  ['output=hivestack&limit=2', 'limit'],
  ['grain=hour', 'grain'],
])('%s is refused', async (more, parameter) => {
  const { status, body } = await get(`impressions/profiles?${RANGE}&${more}`)
  expect([status, body.error.details.parameter]).toEqual([400, parameter])
})

test('a range of more than 420 days is too large', async () => {
  const { body } = await get('impressions/profiles?from_date=2025-01-01&to_date=2026-02-25')
  expect(body.error).toMatchObject({ code: 'RANGE_TOO_LARGE', details: { max_days: 420 } })
})
