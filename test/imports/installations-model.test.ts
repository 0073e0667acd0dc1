import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import fc from 'fast-check'
import { Temporal } from 'temporal-polyfill'
import { exportAll } from '../../db/backup/export-all'
import { ExportFolder } from '../../db/backup/export-folder'
import { importAll } from '../../db/backup/import-all'
import { verify } from '../../db/verify/verify'
import { importFile } from '../../imports/import-file'
import type { Kind } from '../../imports/kind-names'
import type { Made, MadeAsset } from '../support/factories'
import { scaledRuns } from '../support/fuzz'
import { intervalStarts } from '../support/impressions-model'
import { rounds } from '../support/rounds'
import { World } from '../support/world'

jest.setTimeout(rounds(240_000, 3_600_000))

/** Instants are quarter hours, in milliseconds since 1970. */
const QUARTER = 900_000

const ZONES = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'UTC']

/** Days before clock changes of the zones. */
const STARTS = ['2026-01-30', '2026-03-07', '2026-03-28', '2026-04-04', '2026-10-03', '2026-10-24', '2026-10-31']

const DAYS = 3

const SLOTS = DAYS * 96

const MINUTES = { Quarter: 15, Hour: 60 }

type Vendor = keyof typeof MINUTES

/** A row: from an instant on, until another one, the sensor is on an asset (an index), or on none. */
interface Statement {
  sensor: number
  vendor: Vendor
  asset: number | undefined
  from: number
  to: number | undefined
}

type Action =
  | ({ kind: 'statement' } & Statement)
  | { kind: 'counts'; sensor: number; first: number; length: number; value: number }
  | { kind: 'zone'; asset: number; zone: number }

const slot = fc.integer({ min: 0, max: SLOTS - 1 })

const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .record({
        kind: fc.constant('statement' as const),
        sensor: fc.constantFrom(0, 1),
        vendor: fc.constantFrom<Vendor>('Quarter', 'Quarter', 'Quarter', 'Hour'),
        asset: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined, freq: 6 }),
        from: fc.oneof(slot, fc.constantFrom(-400, 0, 96, 92, 112)),
        to: fc.option(fc.integer({ min: SLOTS, max: SLOTS + 100 }), { nil: undefined, freq: 3 }),
      })
      .map(each => (each.asset === undefined ? { ...each, to: undefined } : each)),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('counts' as const),
      sensor: fc.constantFrom(0, 1),
      first: slot,
      length: fc.integer({ min: 1, max: 200 }),
      value: fc.constantFrom(0, 1, 300, 70_000),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('zone' as const),
      asset: fc.integer({ min: 0, max: 3 }),
      zone: fc.integer({ min: 0, max: ZONES.length - 1 }),
    }),
  },
)

const dates = new Map<string, string>()

/** The first quarter hour of a timeline, and how many it has. In the last one nothing changes any more. */
const FIRST = -600
const LENGTH = 600 + SLOTS + 400

type Place = { asset: number; vendor: Vendor } | undefined

/** Returns where a sensor is in each quarter hour after a row, by the contract of the import. */
function timelineAfter(timeline: readonly Place[], { asset, vendor, from, to }: Statement): Place[] {
  const first = from - FIRST
  const recorded = timeline[first]
  const end = timeline.findIndex((place, i) => i > first && place?.asset !== recorded?.asset)
  const removed = recorded && end >= 0 && !timeline[end] ? end + FIRST : undefined
  const repeats = recorded?.asset === asset && (asset === undefined || (recorded?.vendor === vendor && removed === to))
  if (repeats) return [...timeline]
  const place = asset === undefined ? undefined : { asset, vendor }
  return timeline.map((before, i) => (i < first ? before : to !== undefined && i + FIRST >= to ? undefined : place))
}

/** The sensors, assets and counts as they should be. */
class Model {
  /** The accepted rows. */
  readonly statements: Statement[] = []
  /** By sensor. */
  timelines: Place[][] = [0, 1].map(() => Array<Place>(LENGTH).fill(undefined))
  /** By sensor and instant. */
  readonly counts = new Map<string, { minutes: number; value: number }>()

  constructor(
    readonly zones: string[],
    private readonly start: number,
  ) {}

  at(sensor: number, instant: number): Place {
    const quarter = Math.floor((instant - this.start) / QUARTER) - FIRST
    return this.timelines[sensor]?.[Math.min(quarter, LENGTH - 1)]
  }

  /** Returns the sensors that are on an asset and stay there. */
  installedOn(asset: number): number[] {
    return [0, 1].filter(sensor => this.timelines[sensor]?.at(-1)?.asset === asset)
  }

  /** Returns whether a count can be stored. */
  fits(sensor: number, instant: number, minutes: number): boolean {
    const place = this.at(sensor, instant)
    return place !== undefined && MINUTES[place.vendor] === minutes && this.isStart(place.asset, instant, minutes)
  }

  isStart(asset: number, instant: number, minutes: number): boolean {
    const zone = this.zones[asset] as string
    return intervalStarts(zone, this.dateOf(asset, instant), minutes).includes(instant)
  }

  dateOf(asset: number, instant: number): string {
    const zone = this.zones[asset] as string
    const name = `${zone} ${instant}`
    const date =
      dates.get(name) ?? Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(zone).toPlainDate()
    dates.set(name, String(date))
    return String(date)
  }

  /** Whether every count has a place, and no sensor counts two grains on an asset's day. */
  get isPossible(): boolean {
    for (const [key, { minutes }] of this.counts) {
      const [sensor, instant] = key.split(' ').map(Number) as [number, number]
      if (!this.fits(sensor, instant, minutes)) return false
    }
    const grains = new Map<string, string>()
    for (const sensor of [0, 1]) {
      for (let quarter = FIRST; quarter < FIRST + LENGTH; quarter++) {
        const instant = this.start + quarter * QUARTER
        const place = this.at(sensor, instant)
        if (!place) continue
        const key = `${sensor} ${place.asset} ${this.dateOf(place.asset, instant)}`
        if ((grains.get(key) ?? place.vendor) !== place.vendor) return false
        grains.set(key, place.vendor)
      }
    }
    return true
  }

  /** The total of each asset and local day. */
  get totals(): Record<string, number> {
    const totals: Record<string, number> = {}
    for (const [key, { value }] of this.counts) {
      const [sensor, instant] = key.split(' ').map(Number) as [number, number]
      const asset = this.at(sensor, instant)?.asset as number
      const day = `${asset} ${this.dateOf(asset, instant)}`
      totals[day] = (totals[day] ?? 0) + value
    }
    return totals
  }
}

let world: World
let serial = 0

beforeAll(async () => {
  world = await World.open()
  await run('vendors', ['name,own,finest_grain', 'Quarter,false,quarter_hour', 'Hour,false,hour'])
})
afterAll(() => world.stop())

/** Imports lines; returns whether they were stored. */
async function run(kind: Kind, lines: readonly string[]): Promise<boolean> {
  const figures = await importFile(world.owner, kind, Readable.from([lines.join('\n')]))
  return figures.rejected === 0
}

/** The companies of all networks. */
const companies: Made[] = []

/** The assets of a company, and two sensors. */
class Network {
  private constructor(
    private readonly key: string,
    readonly assets: MadeAsset[],
    private readonly sensors: string[],
    private readonly start: number,
  ) {}

  static async make(zones: readonly string[], start: number): Promise<Network> {
    const company = await world.make.company()
    companies.push(company)
    const key = await world.make.key([company])
    const assets = await world.make.together(async make => {
      const made: MadeAsset[] = []
      for (const time_zone of zones) made.push(await make.asset({ company, time_zone }))
      return made
    })
    const sensors = [`S${++serial}`, `S${++serial}`]
    await run('sensors', ['serial,model,vendor_id', ...sensors.map(name => `${name},M,Quarter`)])
    return new Network(key, assets, sensors, start)
  }

  say({ sensor, vendor, asset, from, to }: Statement): Promise<boolean> {
    const text = (quarter: number | undefined) =>
      quarter === undefined ? '' : new Date(this.start + quarter * QUARTER).toISOString()
    const id = asset === undefined ? '' : (this.assets[asset] as MadeAsset).id
    const row = [this.sensors[sensor], vendor, id, text(from), text(to)]
    return run('sensors', ['serial,vendor_id,asset_id,installed_at,removed_at', row.join()])
  }

  setZone(asset: number, zone: string): Promise<boolean> {
    return run('assets', ['id,time_zone', `${(this.assets[asset] as MadeAsset).id},${zone}`])
  }

  async count(counts: Iterable<[key: string, { value: number }]>): Promise<void> {
    const rows = [...counts].map(([key, { value }]) => {
      const [sensor, instant] = key.split(' ').map(Number) as [number, number]
      return `${this.sensors[sensor]},${new Date(instant).toISOString()},${value}`
    })
    if (rows.length > 0) expect(await run('impressions', ['sensor,start,impressions', ...rows])).toBe(true)
  }

  /** Returns the stored counts of each asset, with sensors by their index. */
  async stored(): Promise<Record<string, unknown>[]> {
    const { rows } = await world.owner.query(
      `SELECT time_zone, measured_from, measured_to, sensor_minutes, (
         SELECT json_agg(json_build_array(array_position($2, s.serial), s.native_minutes, s.installed_at, s.removed_at)
           ORDER BY s.number)
         FROM sensors s WHERE s.asset = a.number) AS sensors, (
         SELECT json_agg(json_build_array(array_position($2, s.serial), i.native_minutes, i.installed_at, i.removed_at)
           ORDER BY i.installed_at, s.number) FROM installations i JOIN sensors s ON s.number = i.sensor
         WHERE i.asset = a.number) AS installations, json_array_length(a.installations) AS copied, (
         SELECT json_agg(json_build_array(d.date, array_position($2, s.serial), d.native_minutes, impressions, observed,
           hours, counts) ORDER BY d.date, s.number) FROM sensor_days d JOIN sensors s ON s.number = d.sensor
         WHERE d.asset = a.number) AS days
       FROM assets a JOIN asset_versions v ON v.asset = a.number WHERE a.number = ANY ($1) ORDER BY a.number`,
      [this.assets.map(({ number }) => number), this.sensors],
    )
    return rows
  }

  async versions(): Promise<number[]> {
    const numbers = this.assets.map(({ number }) => number)
    const { rows } = await world.owner.query(
      'SELECT data_version FROM asset_versions WHERE asset = ANY ($1) ORDER BY asset',
      [numbers],
    )
    return rows.map(({ data_version }) => data_version)
  }

  /** Returns the sensors in the records of each asset, by their index; lists and copies of them agree. */
  async sensorsOfAssets(): Promise<number[][]> {
    const { body } = await world.get('/v1/partner/sensors?limit=500', { key: this.key })
    const sensors = body.data as { id: string; serial: string; asset_id: string; finest_grain: string }[]
    const listed: number[][] = []
    for (const { id } of this.assets) {
      const { body: asset } = await world.get(`/v1/partner/assets/${id}`, { key: this.key })
      const here = sensors.filter(({ asset_id }) => asset_id === id)
      expect(asset.sensor_ids).toEqual(here.map(each => each.id))
      const grains = here.map(({ finest_grain }) => finest_grain)
      expect(asset.finest_grain).toBe(grains.includes('hour') ? 'hour' : (grains[0] ?? null))
      listed.push(here.map(({ serial }) => this.sensors.indexOf(serial)).sort())
    }
    return listed
  }

  /** Returns the responses of the API for each asset. */
  async responses(): Promise<unknown[]> {
    const date = (days: number) => new Date(this.start + days * 86_400_000).toISOString().slice(0, 10)
    const range = `from_date=${date(-2)}&to_date=${date(DAYS + 2)}`
    const paths = ['timeseries?grain=quarter_hour&', 'timeseries?grain=hour&', 'daily?', 'summary?']
    const bodies: unknown[] = []
    for (const { id } of this.assets) {
      for (const path of paths) {
        bodies.push((await world.get(`/v1/partner/assets/${id}/impressions/${path}${range}`, { key: this.key })).body)
      }
    }
    return bodies
  }
}

test('counts and corrections in any order have the result of importing the final history first', async () => {
  let refused = 0
  let moved = 0
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...STARTS),
      fc.array(fc.integer({ min: 0, max: ZONES.length - 1 }), { minLength: 4, maxLength: 4 }),
      fc.array(action, { minLength: 4, maxLength: 12, size: 'max' }),
      async (date, zoneIndexes, actions) => {
        const start = Date.parse(date)
        const zones = zoneIndexes.map(i => ZONES[i] as string)
        const model = new Model(zones, start)
        const network = await Network.make(zones, start)
        for (const action of actions) {
          if (action.kind === 'counts') {
            const given: [string, { minutes: number; value: number }][] = []
            for (let i = action.first; i < action.first + action.length; i++) {
              const instant = start + i * QUARTER
              const place = model.at(action.sensor, instant)
              const minutes = place && MINUTES[place.vendor]
              if (!minutes || !model.fits(action.sensor, instant, minutes)) continue
              given.push([`${action.sensor} ${instant}`, { minutes, value: action.value }])
            }
            await network.count(given)
            for (const [key, count] of given) model.counts.set(key, count)
            continue
          }
          const [before, versions] = [await network.stored(), await network.versions()]
          let accepted: boolean
          if (action.kind === 'zone') {
            const former = model.zones[action.asset] as string
            model.zones[action.asset] = ZONES[action.zone] as string
            accepted = model.isPossible
            expect(await network.setZone(action.asset, ZONES[action.zone] as string)).toBe(accepted)
            if (!accepted) model.zones[action.asset] = former
          } else {
            const before = model.timelines
            model.timelines = before.map((each, sensor) =>
              sensor === action.sensor ? timelineAfter(each, action) : each,
            )
            accepted = model.isPossible
            expect(await network.say(action)).toBe(accepted)
            if (accepted) model.statements.push(action)
            else model.timelines = before
          }
          expect(await network.sensorsOfAssets()).toEqual(model.zones.map((_, asset) => model.installedOn(asset)))
          if (!accepted) refused++
          const [after, versionsAfter] = [await network.stored(), await network.versions()]
          const changed = after.map((asset, i) => JSON.stringify(asset) !== JSON.stringify(before[i]))
          expect(versionsAfter.map((version, i) => version !== versions[i])).toEqual(changed)
          if (changed.filter(Boolean).length > 1) moved++
        }
        const final = await Network.make(model.zones, start)
        for (const statement of model.statements) expect(await final.say(statement)).toBe(true)
        await final.count(model.counts)
        const stored = await network.stored()
        expect(stored).toEqual(await final.stored())
        expect(await network.responses()).toEqual(await final.responses())
        const totals: Record<string, number> = {}
        stored.forEach(({ days }, asset) => {
          for (const [date, , , impressions] of (days ?? []) as [string, number, number, number][]) {
            totals[`${asset} ${date}`] = (totals[`${asset} ${date}`] ?? 0) + impressions
          }
        })
        expect(totals).toEqual(model.totals)
      },
    ),
    { ...scaledRuns(15), endOnFailure: true },
  )
  expect([refused > 0, moved > 0]).toEqual([true, true])
  await expectSameAfterImport()
})

/** Exports all histories, and compares them with those of a database that imports them. */
async function expectSameAfterImport(): Promise<void> {
  const [folder, restored] = [mkdtempSync(join(tmpdir(), 'partner-metrics-histories-')), await World.open()]
  const exportFiles = async ({ owner }: World, name: string) => {
    const { files } = await exportAll(owner, new ExportFolder(join(folder, name)), { version: '1' })
    return files.filter(file => !file.name.startsWith('operations'))
  }
  try {
    const key = await world.make.key(companies)
    const files = await exportFiles(world, 'first')
    await importAll(restored.owner, join(folder, 'first'))
    expect(await exportFiles(restored, 'second')).toEqual(files)
    expect(await verify(restored.owner, async difference => expect(difference).toBeUndefined())).toMatchObject({
      found: 0,
    })
    const { rows } = await world.owner.query('SELECT id FROM assets ORDER BY number')
    for (const { id } of rows.slice(0, rounds(20, 100))) {
      const path = `/v1/partner/assets/${id}/impressions/timeseries?grain=quarter_hour&from_date=2026-01-25&to_date=2026-05-01`
      expect((await restored.get(path, { key })).text).toBe((await world.get(path, { key })).text)
    }
  } finally {
    await restored.stop()
    rmSync(folder, { recursive: true })
  }
}
