/** Relocations that would let two counts meet, or be off the grid of their asset, are refused, and the message names both. */
import { Readable } from 'node:stream'
import { readNodeRules, ZoneRules } from '../../db/calendar/zone-rules'
import { storeRules } from '../../db/zones/rules-in-force'
import { dryRun } from '../../imports/changes/dry-run'
import { updateZones } from '../../imports/relocation/update-rules'
import { setAside } from '../../imports/set-aside/set-aside'
import type { NativeGrain } from '../../schema/generated'
import { stored } from '../support/outcomes'
import { World } from '../support/world'

let world: World
beforeAll(async () => {
  world = await World.open()
})
afterEach(() => world.clear())
afterAll(() => world.stop())

/** A sensor on the first of some assets, which have these time zones as names. */
async function install(zones: readonly string[], grain: NativeGrain = 'day'): Promise<void> {
  await world.make.together(async make => {
    const company = await make.company()
    for (const [i, time_zone] of zones.entries()) {
      const asset = await make.asset({ company, time_zone, name: time_zone.split('/')[1], legacy_id: i + 1 })
      if (i === 0) await make.sensor({ asset, serial: 'S', grain, installed_at: '2025-01-01T00:00Z' })
    }
  })
}

const count = (...rows: string[]) =>
  world.import('impressions', ['sensor,start,impressions', ...rows.map(row => `S,${row}`)])
const moveRow = (asset: number, at: string) => ['serial,asset_id,installed_at', `S,${asset},${at}`]
const move = (asset: number, at: string) => world.import('sensors', moveRow(asset, at))
const correctZone = (zone: string) => world.import('assets', ['legacy_id,time_zone', `2,${zone}`])

/** Returns all counts by asset and date, stored and set aside. */
async function readCounts(): Promise<string[]> {
  const rows = await world.rows(`
    SELECT a.name || ' ' || d.date || ' ' || d.impressions AS text FROM sensor_days d JOIN assets a ON a.number = d.asset
    UNION ALL SELECT concat_ws(' ', a.name, d.date, d.impressions, 'aside') FROM set_aside_days d
      JOIN assets a ON a.number = d.asset ORDER BY 1`)
  return rows.map(({ text }) => String(text))
}

const both = ['Toronto 2025-04-05 205', 'Toronto 2025-04-06 206', 'Vancouver 2025-04-06 306']

describe('a daily sensor that moved west has two counts of the day', () => {
  beforeEach(async () => {
    await install(['America/Toronto', 'America/Vancouver'])
    await count('2025-04-05,205', '2025-04-06,206')
    await move(2, '2025-04-06')
    await count('2025-04-06T00:00-07:00,306')
  })

  test('and its move is not undone while one of them would be lost', async () => {
    const row = moveRow(1, '2025-04-06T07:00:00Z')
    const refusal = await world.import('sensors', row)
    expect(refusal).toMatchObject({ stored: 0, rejected: 1 })
    expect(refusal.errors[0]).toMatch(
      /^2: 1 stored count at 2025-04-06T00:00-07:00 would get the asset and date of another one .* \(2025-04-06 has 206 on "Toronto" \(\w+\), and 306 on "Vancouver" \(\w+\)\): erase one of the two /,
    )
    await dryRun(world.owner, async tryFile => {
      expect(await tryFile('sensors', Readable.from([row.join('\n')]), {})).toMatchObject({ rejected: 1, stored: 0 })
    })
    expect((await correctZone('America/Toronto')).errors).toEqual([
      expect.stringMatching(/206 on "Toronto" .* 306 on "Vancouver"/),
    ])
    expect(await readCounts()).toEqual(both)
    // As the message says.
    const erased = ['sensor,start,impressions', 'S,2025-04-06T00:00-07:00,']
    expect(await world.import('impressions', erased, { erase: true })).toMatchObject({ erased: 1 })
    expect(await world.import('sensors', row)).toEqual(stored(1))
    expect(await readCounts()).toEqual(both.slice(0, 2))
  })

  test('of which one is named as set aside', async () => {
    await setAside(world.owner, { sensor: 'S', from: '2025-04-06T04:00Z', to: '2025-04-06T07:00Z' }, { reason: 'bus' })
    expect((await move(1, '2025-04-06T07:00Z')).errors).toEqual([
      expect.stringMatching(/206 on "Toronto" \(\w+\), set aside under the number \d+, and 306 on "Vancouver"/),
    ])
  })
})

test('new rules that let a day begin before the move to its asset are refused', async () => {
  const zone = 'America/Vancouver'
  const { starts, offsets } = readNodeRules(zone)
  const known = starts.filter(start => start < Date.parse('2025-03-01T00:00Z') / 1000)
  const rules = (version: string, offset: number) =>
    new ZoneRules(
      zone,
      version,
      [...known, Date.parse('2025-03-09T10:00Z') / 1000],
      [...offsets.slice(0, known.length), offset],
    )
  await storeRules(world.owner, [rules('2024a', -7 * 3600)])
  await install(['America/Toronto', zone])
  await count('2025-04-06,206')
  await move(2, '2025-04-06T07:00Z')
  await count('2025-04-06T00:00-07:00,306')
  for (const isDryRun of [true, false]) {
    const readRules = (name: string) => (name === zone ? rules('2099a', -6 * 3600) : readNodeRules(name))
    await expect(updateZones(world.owner, { dryRun: isDryRun, readRules })).rejects.toMatchObject({
      code: 'ZONE_RULES_REFUSED',
      message: expect.stringMatching(/206 on "Toronto" .* 306 on "Vancouver" .*nothing was changed/),
    })
  }
  expect(await readCounts()).toEqual(['Toronto 2025-04-06 206', 'Vancouver 2025-04-06 306'])
})
