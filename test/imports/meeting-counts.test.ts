/** Counts that are moved, set aside or restored are all there afterwards: no two of them become one. */
import { Readable } from 'node:stream'
import fc from 'fast-check'
import { LocalDayCache } from '../../db/calendar/local-day-cache'
import { readNodeRules, ZoneRules } from '../../db/calendar/zone-rules'
import { verify } from '../../db/verify/verify'
import { storeRules } from '../../db/zones/rules-in-force'
import { dryRun } from '../../imports/changes/dry-run'
import { updateZones } from '../../imports/relocation/update-rules'
import { restore } from '../../imports/set-aside/restore'
import { setAside } from '../../imports/set-aside/set-aside'
import type { NativeGrain } from '../../schema/generated'
import type { MadeAsset, MadeSensor } from '../support/factories'
import { scaledRuns } from '../support/fuzz'
import { type Outcome, stored } from '../support/outcomes'
import { rounds } from '../support/rounds'
import { World } from '../support/world'

jest.setTimeout(rounds(120_000, 3_600_000))

let world: World
beforeAll(async () => {
  world = await World.open()
})
afterEach(() => world.clear())
afterAll(() => world.stop())

/** A sensor on the first of some assets, which have these time zones as names. */
class Network {
  private constructor(
    readonly assets: MadeAsset[],
    readonly sensor: MadeSensor,
    private readonly grain: NativeGrain,
  ) {}

  static async make(zones: readonly string[], grain: NativeGrain = 'day'): Promise<Network> {
    return world.make.together(async make => {
      const company = await make.company()
      const assets: MadeAsset[] = []
      for (const [i, time_zone] of zones.entries())
        assets.push(await make.asset({ company, time_zone, name: time_zone.split('/')[1], legacy_id: i + 1 }))
      return new Network(
        assets,
        await make.sensor({ asset: assets[0]!, grain, installed_at: '2025-01-01T00:00Z' }),
        grain,
      )
    })
  }

  count(...rows: string[]): Promise<Outcome> {
    const lines = rows.map(row => `${this.sensor.serial},${row}`)
    const options = { interval: this.grain, skipFaulty: true }
    return world.import('impressions', ['sensor,start,impressions', ...lines], options)
  }

  /** Says that from an instant on the sensor is on the asset with this index. */
  move(asset: number, at: string): Promise<Outcome> {
    return world.import('sensors', ['serial,asset_id,installed_at', `${this.sensor.serial},${asset + 1},${at}`])
  }

  correctZone(asset: number, zone: string): Promise<Outcome> {
    return world.import('assets', ['legacy_id,time_zone', `${asset + 1},${zone}`])
  }

  setAside(from: string, to: string) {
    return setAside(world.owner, { sensor: this.sensor.serial, from, to }, { reason: 'bus' })
  }
}

/** Returns all counts by asset and date, or by instant. */
async function readCounts(): Promise<string[]> {
  const rows = await world.rows(`
    SELECT a.name || ' ' || d.date || ' ' || d.impressions AS text FROM sensor_days d JOIN assets a ON a.number = d.asset
    UNION ALL SELECT concat_ws(' ', a.name, c.day, u.count, 'aside') FROM set_aside_counts c
      CROSS JOIN LATERAL unnest(counts) AS u (count) LEFT JOIN assets a ON a.number = c.asset ORDER BY 1`)
  return rows.map(({ text }) => String(text))
}

async function expectVerified(): Promise<void> {
  const differences: unknown[] = []
  await verify(world.owner, async difference => void differences.push(difference))
  expect(differences).toEqual([])
}

const both = [
  'Toronto 2025-04-05 205',
  'Toronto 2025-04-06 206',
  'Vancouver 2025-04-06 306',
  'Vancouver 2025-04-07 307',
]

describe('a daily sensor that moved west has two counts of the day', () => {
  const TORONTO = ['America/Toronto', 'America/Vancouver']
  let network: Network
  beforeEach(async () => {
    network = await Network.make(TORONTO)
    await network.count('2025-04-05,205', '2025-04-06,206')
    await network.move(1, '2025-04-06')
    await network.count('2025-04-06T00:00-07:00,306', '2025-04-07,307')
  })

  test('and its move is not undone while one of them would be lost', async () => {
    expect(await readCounts()).toEqual(both)
    const row = ['serial,asset_id,installed_at', `${network.sensor.serial},1,2025-04-06T07:00:00Z`]
    const refusal = await world.import('sensors', row)
    expect(refusal).toMatchObject({ stored: 0, rejected: 1 })
    expect(refusal.errors[0]).toMatch(
      /^2: 1 stored count at 2025-04-06T00:00-07:00 would get the asset and date of another one .* \(2025-04-06 has 206 on "Toronto" \(\w+\), and 306 on "Vancouver" \(\w+\)\): erase one of the two /,
    )
    await dryRun(world.owner, async tryFile => {
      expect(await tryFile('sensors', Readable.from([row.join('\n')]), {})).toMatchObject({ rejected: 1, stored: 0 })
    })
    expect(await readCounts()).toEqual(both)
    // As the message says.
    const erased = `sensor,start,impressions\n${network.sensor.serial},2025-04-06T00:00-07:00,`
    expect(await world.import('impressions', [erased], { erase: true })).toMatchObject({ erased: 1 })
    expect(await world.import('sensors', row)).toEqual(stored(1))
    expect(await readCounts()).toEqual(['Toronto 2025-04-05 205', 'Toronto 2025-04-06 206', 'Toronto 2025-04-07 307'])
    await expectVerified()
  })

  test('also if they are the same number', async () => {
    await network.count('2025-04-06T00:00-07:00,206')
    expect(await network.move(0, '2025-04-06T07:00Z')).toMatchObject({ rejected: 1, stored: 0 })
    expect(await readCounts()).toEqual(both.map(text => text.replace('306', '206')))
  })

  test('and the new asset does not get the time zone of the old one', async () => {
    const refusal = await network.correctZone(1, 'America/Toronto')
    expect(refusal).toMatchObject({
      rejected: 1,
      stored: 0,
      errors: [expect.stringMatching(/206 on "Toronto" .* 306 on "Vancouver"/)],
    })
    expect(await readCounts()).toEqual(both)
  })

  test('and the later one follows where the new asset is corrected', async () => {
    const { assets } = network
    const seattle = await world.make.asset({
      company: { id: '', number: assets[0]!.company },
      time_zone: 'America/Los_Angeles',
      name: 'Seattle',
      legacy_id: 3,
    })
    expect(seattle.id).toBeTruthy()
    expect(await network.move(2, '2025-04-06T07:00Z')).toEqual(stored(1))
    expect(await readCounts()).toEqual(both.map(text => text.replace('Vancouver', 'Seattle')).sort())
    await expectVerified()
  })

  test('each of which is set aside and restored by itself', async () => {
    const { id } = await network.setAside('2025-04-06T04:00Z', '2025-04-06T07:00Z')
    expect(await network.count('2025-04-06T00:00-07:00,306', '2025-04-07,307')).toMatchObject({ unchanged: 2 })
    const aside = both.map(text => (text.includes('206') ? `${text} aside` : text))
    expect(await readCounts()).toEqual(aside)
    expect(await network.move(0, '2025-04-06T07:00Z')).toMatchObject({
      errors: [
        expect.stringMatching(/206 on "Toronto" \(\w+\), set aside under the number \d+, and 306 on "Vancouver"/),
      ],
    })
    expect(await readCounts()).toEqual(aside)
    await restore(world.owner, String(id))
    expect(await readCounts()).toEqual(both)
    const { id: whole, counts } = await network.setAside('2025-04-06T04:00Z', '2025-04-08T07:00Z')
    expect(counts).toBe(3)
    expect(await network.move(0, '2025-04-06T07:00Z')).toMatchObject({ rejected: 1 })
    await restore(world.owner, String(whole))
    expect(await readCounts()).toEqual(both)
    await expectVerified()
  })
})

test('a day set aside before a move west does not take what the new asset counts on it', async () => {
  const network = await Network.make(['America/Toronto', 'America/Vancouver'])
  await network.count('2025-04-05,205', '2025-04-06,206')
  const { id } = await network.setAside('2025-04-06T04:00Z', '2025-04-06T07:00Z')
  await network.move(1, '2025-04-06T07:00Z')
  expect(await network.count('2025-04-06T00:00-07:00,306', '2025-04-07,307')).toEqual(stored(2))
  expect((await network.move(0, '2025-04-06T07:00Z')).rejected).toBe(1)
  await restore(world.owner, String(id))
  expect(await readCounts()).toEqual(both)
})

test('a count that is set aside moves with its sensor, and is restored there', async () => {
  const network = await Network.make(['America/Toronto', 'America/Vancouver'])
  await network.count('2025-04-05,205', '2025-04-06,206', '2025-04-07,207')
  const { id } = await network.setAside('2025-04-06', '2025-04-07')
  await network.move(1, '2025-04-05T07:00Z')
  expect(await readCounts()).toEqual([
    'Toronto 2025-04-05 205',
    'Vancouver 2025-04-06 206 aside',
    'Vancouver 2025-04-07 207',
  ])
  await restore(world.owner, String(id))
  expect(await readCounts()).toEqual(['Toronto 2025-04-05 205', 'Vancouver 2025-04-06 206', 'Vancouver 2025-04-07 207'])
  await expectVerified()
})

test('a daily count that was set aside without its asset, as earlier versions did, gets the one where its day begins', async () => {
  const network = await Network.make(['America/Toronto', 'America/Vancouver'])
  await network.count('2025-04-05,205', '2025-04-06,206')
  await network.move(1, '2025-04-06T07:00Z')
  await network.count('2025-04-06T00:00-07:00,306', '2025-04-07,307')
  await network.setAside('2025-04-05T04:00Z', '2025-04-06T07:00Z')
  await network.setAside('2025-04-06T07:00Z', '2025-04-08T07:00Z')
  const aside = await readCounts()
  expect(aside).toEqual(both.map(text => `${text} aside`))
  await world.owner.query('UPDATE set_aside_counts SET asset = NULL; SELECT find_set_aside_assets()')
  expect(await readCounts()).toEqual(aside)
})

test('a move across the date line is not undone while two counts would meet', async () => {
  const network = await Network.make(['Pacific/Apia', 'America/Edmonton'])
  await network.count('2025-04-05,101', '2025-04-06,102')
  await network.move(1, '2025-04-06T06:00Z')
  await network.count('2025-04-06T00:00-06:00,202')
  const counts = ['Apia 2025-04-05 101', 'Apia 2025-04-06 102', 'Edmonton 2025-04-06 202']
  expect(await readCounts()).toEqual(counts)
  expect(await network.move(0, '2025-04-06T06:00Z')).toMatchObject({
    errors: [expect.stringMatching(/102 on "Apia" .* 202 on "Edmonton"/)],
  })
  expect(await readCounts()).toEqual(counts)
})

test('hours that overlap are not made one: those off the grid of the asset are refused', async () => {
  const network = await Network.make(['Europe/London', 'Asia/Kolkata'], 'hour')
  await network.count('2025-02-05T10:00Z,10')
  await network.move(1, '2025-02-05T10:15Z')
  await network.count('2025-02-05T10:30Z,11')
  for (const refusal of [await network.move(0, '2025-02-05T10:15Z'), await network.correctZone(1, 'Europe/London')])
    expect(refusal).toMatchObject({
      errors: [expect.stringMatching(/would not begin where an interval of the asset begins/)],
    })
  expect(await readCounts()).toEqual(['Kolkata 2025-02-05 11', 'London 2025-02-05 10'])
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
  const network = await Network.make(['America/Toronto', zone])
  await network.count('2025-04-06,206')
  await network.move(1, '2025-04-06T07:00Z')
  await network.count('2025-04-06T00:00-07:00,306')
  const update = (dry: boolean) =>
    updateZones(world.owner, {
      dryRun: dry,
      readRules: name => (name === zone ? rules('2099a', -6 * 3600) : readNodeRules(name)),
    })
  for (const dry of [true, false]) {
    await expect(update(dry)).rejects.toMatchObject({
      code: 'ZONE_RULES_REFUSED',
      message: expect.stringMatching(/206 on "Toronto" .* 306 on "Vancouver" .*nothing was changed/),
    })
  }
  expect(await readCounts()).toEqual(['Toronto 2025-04-06 206', 'Vancouver 2025-04-06 306'])
  await storeRules(world.owner, [readNodeRules(zone)])
})

const ZONES = ['America/Toronto', 'America/Vancouver', 'Asia/Kolkata', 'Pacific/Apia']
const days = new LocalDayCache(new Map(ZONES.map(zone => [zone, readNodeRules(zone)])))

/** One of three dates, which begins at the asset with this index, or some hours later. */
const time = fc.record({ asset: fc.nat(1), date: fc.nat(2), hours: fc.constantFrom(0, 0, 0, 3, 16) })
type Time = typeof time extends fc.Arbitrary<infer Value> ? Value : never
const FIRST = Date.parse('2025-04-05') / 86_400_000
const instantOf = (zones: readonly string[], { asset, date, hours }: Time): string =>
  new Date((days.day(zones[asset]!, FIRST + date).start + hours * 3600) * 1000).toISOString()

const asset = fc.nat(1)
const action = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('count' as const), asset }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('move' as const), asset, at: time }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('undo' as const), asset }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('zone' as const), asset, zone: fc.constantFrom(...ZONES) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('set aside' as const), from: time, to: time }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('restore' as const) }) },
)

/** Returns all counts, stored and set aside. */
async function readValues(): Promise<number[]> {
  const inDays = (await world.days()).flatMap(({ counts }) => counts.filter(count => count >= 0))
  const aside = await world.rows('SELECT unnest(counts) AS count FROM set_aside_counts')
  return [...inDays, ...aside.map(({ count }) => Number(count))].sort((a, b) => a - b)
}

test('whatever is moved, corrected, set aside and restored, the counts are those that were imported', async () => {
  const done = { count: 0, move: 0, undo: 0, zone: 0, 'set aside': 0, restore: 0, refused: 0 }
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom<NativeGrain>('day', 'day', 'day', 'hour'),
      fc.shuffledSubarray(ZONES, { minLength: 2, maxLength: 2 }),
      fc.record({ kind: fc.constant('move' as const), asset: fc.constant(1), at: time }),
      fc.array(action, { minLength: 4, maxLength: 10, size: 'max' }),
      async (grain, zones, move, actions) => {
        await world.clear()
        const network = await Network.make(zones, grain)
        const stretches: number[] = []
        let value = 0
        let lastMove = '2025-01-01T00:00:00.000Z'
        const begin = [{ kind: 'count', asset: 0 }, move, { kind: 'count', asset: 1 }] as const
        for (const action of [...begin, ...actions]) {
          const before = await readValues()
          let outcome: { rejected: number } | undefined
          if (action.kind === 'count') {
            const { asset } = action
            const starts = [0, 1, 2].map(date => instantOf(zones, { asset, date, hours: 0 }))
            const given = starts.map(start => [start, ++value] as const)
            const { stored, set_aside } = await network.count(...given.map(row => row.join()))
            const after = await readValues()
            // Each takes the place of at most one, of its own interval.
            const others = after.filter(count => !given.some(([, value]) => value === count))
            expect(after).toHaveLength(others.length + stored + set_aside)
            expect(before).toEqual(expect.arrayContaining(others))
            expect(before.length - others.length).toBeLessThanOrEqual(stored + set_aside)
            if (stored + set_aside > 0) done.count++
            continue
          }
          if (action.kind === 'move' || action.kind === 'undo') {
            if (action.kind === 'move') lastMove = instantOf(zones, { ...action.at, asset: action.asset })
            outcome = await network.move(action.asset, lastMove)
          } else if (action.kind === 'zone') {
            outcome = await network.correctZone(action.asset, action.zone)
            if (!outcome.rejected) zones[action.asset] = action.zone
          } else {
            const run = async () => {
              if (action.kind === 'set aside') {
                const { id } = await network.setAside(instantOf(zones, action.from), instantOf(zones, action.to))
                stretches.push(id)
              } else if (stretches.length > 0) {
                await restore(world.owner, String(stretches[0]))
                stretches.shift()
              }
            }
            outcome = await run().then(
              () => ({ rejected: 0 }),
              ({ code }) => {
                expect(['INVALID_TIME', 'SET_ASIDE_ALREADY', 'RESTORE_REFUSED']).toContain(code)
                return { rejected: 1 }
              },
            )
          }
          done[outcome.rejected ? 'refused' : action.kind]++
          expect(await readValues()).toEqual(before)
        }
        await expectVerified()
      },
    ),
    scaledRuns(40),
  )
  expect(Object.values(done).every(Boolean)).toBe(true)
})
