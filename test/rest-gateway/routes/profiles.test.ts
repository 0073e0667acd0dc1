/** Typical weeks of many assets: pages, columns and parameters. The world compares their rows. */
import type { MadeAsset } from '../../support/factories'
import { World } from '../../support/world'

let world: World
let key: string
/** With a whole week, with a part of one, with daily counts, and without a sensor. */
let whole: MadeAsset
let part: MadeAsset
let daily: MadeAsset
let bare: MadeAsset
/** Of all assets, ascending. */
let ids: string[]

const RANGE = 'from_date=2026-06-01&to_date=2026-06-14'

beforeAll(async () => {
  world = await World.open()
  await world.make.together(async make => {
    const company = await make.company()
    key = await make.key([company])
    whole = await make.asset({ company })
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
    part = await make.asset({ company, time_zone: 'America/St_Johns' })
    const hourly = await make.sensor({ asset: part, grain: 'hour' })
    await make.counts(hourly, '2026-06-02', hour => (hour === 3 ? -1 : hour))
    daily = await make.asset({ company })
    await make.counts(await make.sensor({ asset: daily, grain: 'day' }), '2026-06-02', () => 7)
    bare = await make.asset({ company })
  })
  ids = [whole, part, daily, bare].map(({ id }) => id).sort()
})
afterAll(() => world.stop())

const get = (path: string) => world.get(`/v1/partner/${path}`, { key })
const read = (path: string) => world.read(`/v1/partner/${path}`, key)

test('pages and filters are those of lists of assets', async () => {
  const first = await read(`impressions/profiles?${RANGE}&limit=3`)
  expect(first.pagination).toMatchObject({ has_more: true, limit: 3 })
  const rest = await read(`impressions/profiles?${RANGE}&limit=3&cursor=${first.pagination.cursor}`)
  expect([...first.data, ...rest.data].map(({ asset_id }) => asset_id)).toEqual(ids)
  expect((await read(`impressions/profiles?${RANGE}&asset_ids=${bare.id}`)).data).toHaveLength(1)
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

test.each([
  ['seconds=0', 'seconds'],
  ['seconds=86401', 'seconds'],
  ['seconds=1.5', 'seconds'],
  ['grain=hour', 'grain'],
])('%s is refused', async (more, parameter) => {
  const { status, body } = await get(`impressions/profiles?${RANGE}&${more}`)
  expect([status, body.error.details.parameter]).toEqual([400, parameter])
})

test('a range of more than 420 days is too large', async () => {
  const { body } = await get('impressions/profiles?from_date=2025-01-01&to_date=2026-02-25')
  expect(body.error).toMatchObject({ code: 'RANGE_TOO_LARGE', details: { max_days: 420 } })
})
