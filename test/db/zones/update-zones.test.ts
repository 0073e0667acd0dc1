/** Time zone rules are data: whatever rules a process has, stored counts are read by those by which they were stored. */

import { readNodeRules, ZoneRules } from '../../../db/calendar/zone-rules'
import { readOperations } from '../../../db/operations/record'
import { compareZones } from '../../../db/zones/compare-rules'
import { storeRules } from '../../../db/zones/rules-in-force'
import { updateZones } from '../../../imports/relocation/update-rules'
import { World } from '../../support/world'

jest.setTimeout(60_000)

const ZONE = 'America/Vancouver'
const at = (text: string): number => Date.parse(text) / 1000

/** The rules with and without a change of the clocks on 1 November 2026. */
const [WITH, WITHOUT] = (() => {
  const { starts, offsets } = readNodeRules(ZONE)
  const end = at('2026-06-01T00:00Z')
  const known = starts.filter(start => start < end)
  const before = offsets.slice(0, known.length)
  return [
    new ZoneRules(ZONE, '2025c', [...known, at('2026-11-01T09:00Z')], [...before, -8 * 3600]),
    new ZoneRules(ZONE, '2026c', known, before),
  ] as const
})()

let world: World
let key: string
let id: string
let serial: string

beforeAll(async () => {
  world = await World.open({ now: () => Date.parse('2026-12-01T00:00Z') })
})
afterAll(() => world.stop())
beforeEach(async () => {
  await world.clear()
  await storeRules(world.owner, [WITH])
  const company = await world.make.company()
  key = await world.make.key([company])
  const asset = await world.make.asset({ company, time_zone: ZONE, country: 'CA' })
  const sensor = await world.make.sensor({ asset, installed_at: '2026-01-01T00:00Z', grain: 'quarter_hour' })
  ;({ id } = asset)
  ;({ serial } = sensor)
})

const instantsOf = async (): Promise<[number, number][]> => {
  const path = `/v1/partner/assets/${id}/impressions/timeseries?grain=quarter_hour&from_date=2026-10-30&to_date=2026-11-24`
  const { data } = await world.read(path, key)
  return data.flatMap(({ start, impressions }: { start: string; impressions: number | null }) =>
    impressions === null ? [] : [[Date.parse(start) / 1000, impressions]],
  )
}

const importCounts = (...times: string[]) =>
  world.import('impressions', ['sensor,start,impressions', ...times.map(time => `${serial},${time},5`)], {
    interval: 'quarter_hour',
  })

const update = (rules: ZoneRules, options = {}) => updateZones(world.owner, { readRules: () => rules, ...options })

test('status names the zones whose rules in force are older than those of this Node.js', async () => {
  const { starts, offsets } = WITH
  await storeRules(world.owner, [
    new ZoneRules(ZONE, '2000a', [...starts, at('2037-01-01T00:00Z')], [...offsets, 3_600]),
  ])
  expect((await world.runJson(['status'])).document).toMatchObject({ outdated_zones: [ZONE] })
  const { stdout } = await world.run(['status'])
  expect(stdout).toContain(`time zones ${ZONE} than those in force: see \`partner-metrics zones\``)
})

test('days have the length of the rules in force, and only those from the difference on are in the feed', async () => {
  await importCounts('2026-06-01T20:00Z', '2026-10-20T20:00Z', '2026-11-20T07:30Z')
  const lengthOf = async () =>
    (await world.read(`/v1/partner/assets/${id}/impressions/hourly?from_date=2026-11-01&to_date=2026-11-01`, key)).data
      .length
  expect(await lengthOf()).toBe(25)
  const { pagination } = await world.read('/v1/partner/changes', key)
  const [compared] = await compareZones(world.owner, () => WITHOUT)
  expect(compared).toEqual({
    zone: ZONE,
    version: '2025c',
    node_version: '2026c',
    differs_from: '2026-11-01T09:00:00Z',
    assets: 1,
    sensor_days: 1,
  })
  expect(await update(WITHOUT, { dryRun: true })).toEqual([compared])
  expect(await lengthOf()).toBe(25)
  expect(await update(WITHOUT)).toEqual([compared])
  expect(await lengthOf()).toBe(24)
  const { data } = await world.read(`/v1/partner/changes?cursor=${pagination.cursor}`, key)
  expect(data.map(({ kind, from_date }: Record<string, string>) => [kind, from_date])).toEqual([
    ['impressions', '2026-11-01'],
  ])
  const [operation] = await readOperations(world.owner, 1)
  expect(operation).toMatchObject({ command: 'zones update', figures: { zones: 1, assets: 1, sensor_days: 1 } })
  expect(await update(WITHOUT)).toEqual([])
})

test('older rules are refused', async () => {
  await importCounts('2026-11-20T07:30Z')
  await update(WITHOUT)
  await expect(update(WITH)).rejects.toMatchObject({ code: 'ZONE_RULES_OLDER' })
  expect(await instantsOf()).toEqual([[at('2026-11-20T07:30Z'), 5]])
})

test('a count that would have no interval refuses the update, with the command that removes it', async () => {
  await importCounts('2026-11-20T07:15Z')
  const shifted = new ZoneRules(
    ZONE,
    '2026d',
    [...WITHOUT.starts, at('2026-11-10T00:00Z')],
    [...WITHOUT.offsets, -7 * 3600 - 300],
  )
  await expect(update(shifted)).rejects.toMatchObject({
    code: 'ZONE_RULES_REFUSED',
    message: expect.stringMatching(
      /1 stored count .*partner-metrics delete impressions --sensor .* --from 2026-11-19 --to 2026-11-19/,
    ),
  })
  expect(await instantsOf()).toEqual([[at('2026-11-20T07:15Z'), 5]])
})

test('a day whose counts cannot be read is an error of its asset alone', async () => {
  await importCounts('2026-11-05T20:00Z')
  const other = await world.make.asset({
    company: { number: (await world.owner.query('SELECT company FROM assets')).rows[0].company } as never,
  })
  await world.owner.query('UPDATE sensor_days SET counts = substr(counts, 2), hours = hours')
  const { data } = await world.read(
    '/v1/partner/impressions?grain=quarter_hour&from_date=2026-11-05&to_date=2026-11-05',
    key,
  )
  expect(data.map(({ asset_id, error }: Record<string, { code: string }>) => [asset_id, error?.code])).toEqual(
    [
      [id, 'INTERNAL'],
      [other.id, undefined],
    ].sort(),
  )
})
