/** The commands that set counts aside and restore them: their documents, figures and refusals. */
import type { MadeAsset } from '../support/factories'
import { like } from '../support/text'
import { World } from '../support/world'

let world: World
let asset: MadeAsset

beforeAll(async () => {
  world = await World.open()
})
afterAll(() => world.stop())

const quarters = (first: string, values: readonly (number | '')[]) =>
  values.map((value, i) => `${new Date(Date.parse(first) + i * 900_000).toISOString()},${value}`)

const count = (rows: readonly string[], options = {}) =>
  world.import('impressions', ['sensor,start,impressions', ...rows.map(row => `S,${row}`)], options)

beforeEach(async () => {
  await world.clear()
  await world.make.together(async make => {
    asset = await make.asset()
    await make.sensor({ asset, serial: 'S', grain: 'quarter_hour' })
  })
  await count(
    quarters(
      '2025-03-30T00:00Z',
      Array.from({ length: 96 }, (_, i) => i),
    ),
  )
})

const setAside = async (from: string, to: string, ...args: string[]) => {
  const stretch = ['--sensor', 'S', '--from', from, '--to', to, '--reason', 'bus', '--yes']
  return (await world.runJson(['set-aside', 'impressions', ...stretch, ...args])).document
}
const restore = async (id: number, ...args: string[]) =>
  (await world.runJson(['restore', String(id), '--yes', ...args])).document
const listed = async () => (await world.runJson(['list', 'set-aside'])).document.rows

const HOUR = ['2025-03-30T08:00Z', '2025-03-30T09:00Z'] as const

test('a stretch is printed, listed, shown and recorded, and is gone when it is restored', async () => {
  const hour = { from: '2025-03-30T08:00:00Z', to: '2025-03-30T09:00:00Z', counts: 4, impressions: 32 + 33 + 34 + 35 }
  const said = { sensor: 'S', reason: 'bus', public: true, ...hour }
  const changed = [{ id: asset.id, name: expect.any(String), from: '2025-03-30', to: '2025-03-30' }]
  const times = ['2025-03-30T10:00', '2025-03-30T11:00+02:00', '--public'] as const
  expect(await setAside(...times, '--dry-run')).toEqual({ ...said, dry_run: true, changed })
  const stretch = await setAside(...times)
  expect(stretch).toEqual({ ...said, dry_run: false, id: expect.any(Number), changed })
  const row = { ...said, id: stretch.id, asset_id: asset.id, asset: expect.any(String), created_at: expect.any(String) }
  expect(await listed()).toEqual([row])
  expect((await world.runJson(['show', 'set-aside', String(stretch.id)])).document).toEqual(row)
  expect((await world.run(['list', 'set-aside'])).stdout).toMatch(/\t2025-03-30 08:00\t2025-03-30 09:00\t4\t/)
  expect(await restore(stretch.id)).toEqual({ ...stretch, changed })
  expect((await world.run(['list', 'set-aside'])).stdout).toBe('nothing is set aside\n')
  expect((await world.runJson(['history', '--limit', '2'])).document.rows).toMatchObject([
    { command: 'restore', details: { id: stretch.id }, figures: { counts: 4, impressions: 134 } },
    { command: 'set-aside impressions', details: { sensor: 'S', reason: 'bus', public: true } },
  ])
})

test('its counts have figures of their own, are merged in one file, and added up, as stored ones are', async () => {
  await setAside(...HOUR)
  const rows = quarters('2025-03-30T07:45Z', [31, 32, 7, '', 8, 9])
  expect(await count(rows)).toMatchObject({ stored: 1, unchanged: 3, set_aside: 2 })
  expect(await count(['2025-03-30T08:00Z,1', '2025-03-30T08:00Z,2'])).toMatchObject({ rejected: 2, not_stored: 0 })
  const parts = ['2025-03-30T08:00Z,30', '2025-03-30T08:05Z,1', '2025-03-30T08:10Z,1']
  expect(await count(parts, { sumToGrain: true })).toMatchObject({ unchanged: 3 })
  expect(await count(parts.slice(1), { sumToGrain: true })).toMatchObject({ rejected: 2 })
})

test('its counts are not what an import warns of', async () => {
  const day = (date: string, value: number) => quarters(`${date}T00:00Z`, Array(96).fill(value))
  await count(Array.from({ length: 20 }, (_, i) => day(`2025-02-${String(i + 1).padStart(2, '0')}`, 10)).flat())
  await setAside('2025-02-21T00:00Z', '2025-02-22T00:00Z')
  const options = { refuseImplausible: true }
  expect(await count(day('2025-02-21', 9_000), options)).toMatchObject({ set_aside: 96 })
  expect((await count(day('2025-02-22', 9_000), options)).errors).toEqual([expect.stringMatching('is usual')])
})

test.each([
  ['2025-03-30T02:30', '2025-03-30T04:00', '--from "2025-03-30T02:30" is a local time that the clock change skips'],
  ['2024-10-27T02:30', '2025-03-30T04:00', '…is two instants: give 2024-10-27T02:30+02:00 or 2024-10-27T02:30+01:00'],
  ['2025-03-30', '30.3.2025', '--to "30.3.2025" is not a time: give a date, a local time…, or one with its offset'],
  ['2025-03-30', '2025-03-30T00:00+01:00', '--to 2025-03-30T00:00+01:00 is not after --from 2025-03-30'],
  ['2025-03-30', '2150-01-01', '--to "2150-01-01" is not between 1970 and 2100'],
])('from %s to %s is refused', async (from, to, message) => {
  const { error } = await setAside(from, to)
  expect(error).toEqual({ code: 'INVALID_TIME', message: like(`${message}…`) })
})

test('stretches of one sensor do not overlap, and are not in closed months', async () => {
  const { id } = await setAside(...HOUR)
  const { error } = await setAside('2025-03-30T08:59Z', '2025-03-30T10:00Z')
  expect(error).toEqual({ code: 'SET_ASIDE_ALREADY', message: like(`…run partner-metrics restore ${id} first`) })
  expect(await setAside('2025-03-30T09:00Z', '2025-03-30T10:00Z')).toMatchObject({ counts: 4 })
  expect((await restore(999_999)).error).toMatchObject({ code: 'UNKNOWN_SET_ASIDE' })
  await world.rows("UPDATE companies SET final_through = '2025-03-31'")
  expect((await restore(id)).error).toMatchObject({ code: 'MONTH_CLOSED' })
  expect((await setAside('2025-03-30T10:00Z', '2025-03-30T11:00Z', '--dry-run')).error.code).toBe('MONTH_CLOSED')
})

test('counts that have no place any more are not restored', async () => {
  const { id } = await setAside(...HOUR)
  await world.rows('DELETE FROM sensor_days')
  await world.rows("UPDATE installations SET installed_at = '2025-03-30T08:30Z'")
  const message = like('2 stored counts of sensor "S" from 2025-03-30T10:00+02:00 to …; nothing was changed')
  expect((await restore(id)).error).toEqual({ code: 'RESTORE_REFUSED', message })
  await world.rows("UPDATE installations SET installed_at = '2020-01-01', native_minutes = 60")
  expect((await restore(id)).error.message).toMatch(/4 stored counts.* would not have the grain of the sensor/)
  expect(await listed()).toMatchObject([{ id, counts: 4 }])
})

test('a correction that leaves them no place is refused, and names them', async () => {
  const { id } = await setAside(...HOUR)
  await world.rows('DELETE FROM sensor_days')
  const { errors } = await world.import('sensors', ['serial,asset_id,installed_at', 'S,,2025-03-30T08:30:00Z'])
  expect(errors).toEqual([
    `2: 2 stored counts from 2025-03-30T10:30+02:00 to 2025-03-30T10:45+02:00, set aside under the number ${id}, would be outside of every installation of the sensor: give an installed_at (and removed_at) that includes them, or delete them first (partner-metrics delete impressions)`,
  ])
  const [{ name }] = (await world.rows('SELECT vendor_name AS name FROM sensors')) as [{ name: string }]
  const grain = await world.import('vendors', ['name,finest_grain', `${name},hour`])
  expect(grain.errors[0]).toMatch(/finest_grain cannot change from quarter_hour: sensors of this vendor have counted/)
})

test('counts that are set aside are deleted with the days of their sensor, and with old days', async () => {
  const remove = async (...args: string[]) => (await world.runJson([...args, '--yes'])).document.deleted
  await setAside('2025-03-29T08:00Z', '2025-03-31T09:00Z')
  await count(quarters('2025-03-29T20:00Z', Array(16).fill(5)))
  const days = ['--sensor', 'S', '--from', '2025-03-29', '--to', '2025-03-29']
  expect(await remove('delete', 'impressions', ...days)).toMatchObject({ counts: 0, set_aside: 12 })
  expect(await listed()).toMatchObject([{ counts: 100 }])
  expect(await remove('retain', '--months', '1')).toMatchObject({ set_aside: 100 })
})
