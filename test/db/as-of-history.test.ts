/**
 * Random histories of imports, corrections, deletions, moves and changes of time zones. Each response is recorded with its instant, and
 * requested again at the end with `as_of`.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import fc from 'fast-check'
import { exportAll } from '../../db/backup/export-all'
import { ExportFolder } from '../../db/backup/export-folder'
import { importAll } from '../../db/backup/import-all'
import { dateOf } from '../../db/calendar/local-days'
import { readNodeRules, ZoneRules } from '../../db/calendar/zone-rules'
import { runDeletion } from '../../db/operations/run-deletion'
import { firstOpenDay } from '../../db/queries/as-of/moment'
import { importFile } from '../../imports/import-file'
import type { Kind } from '../../imports/kind-names'
import { updateZones } from '../../imports/relocation/update-rules'
import type { Made } from '../support/factories'
import { scaledRuns } from '../support/fuzz'
import { rounds } from '../support/rounds'
import { World } from '../support/world'

jest.setTimeout(rounds(300_000, 3_600_000))

const ZONES = ['Europe/Berlin', 'America/Los_Angeles', 'Pacific/Auckland', 'Asia/Kathmandu']

/** The zone whose rules are updated, to an offset of an hour more since 15 days. */
const ZONE = ZONES[0] as string

const HOUR = 3600
const DAY = 86_400
const today = Math.floor(Date.now() / 1000 / DAY)

const LATER_RULES = (() => {
  const { starts, offsets } = readNodeRules(ZONE)
  const end = (today - 15) * DAY
  const known = starts.filter(start => start < end)
  const before = offsets.slice(0, known.length)
  return new ZoneRules(ZONE, '2999a', [...known, end], [...before, before.at(-1)! + HOUR])
})()

/** Sensors of these grains, in hours. */
const GRAINS = { hour: 1, quarter_hour: 0.25 }

type Action =
  | { kind: 'counts'; sensor: number; day: number; first: number; length: number; value: number; erase: boolean }
  | { kind: 'deletion'; sensor: number; day: number; days: number }
  | { kind: 'move'; sensor: number; asset: number; day: number; hour: number }
  | { kind: 'zone'; asset: number; zone: number }
  | { kind: 'rules' | 'restart' | 'backup' }
  | { kind: 'sensor'; sensor: number }
  | { kind: 'asset'; asset: number }
  | { kind: 'retain'; day: number }

const [SENSORS, ASSETS] = [5, 4]
const sensor = fc.integer({ min: 0, max: SENSORS - 1 })
const asset = fc.integer({ min: 0, max: ASSETS - 1 })
/** Days ago: around a month that is over, and around now. */
const day = fc.oneof(fc.integer({ min: 28, max: 36 }), fc.integer({ min: 0, max: 4 }))
const kind = <Name extends string>(name: Name) => fc.constant(name)

const ACTION: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      kind: kind('counts'),
      sensor,
      day,
      first: fc.integer({ min: 0, max: 23 }),
      length: fc.integer({ min: 1, max: 60 }),
      value: fc.integer({ min: 0, max: 500 }),
      erase: fc.integer({ min: 0, max: 5 }).map(number => number === 0),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: kind('deletion'), sensor, day, days: fc.integer({ min: 1, max: 3 }) }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: kind('move'), sensor, asset, day, hour: fc.integer({ min: 0, max: 23 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: kind('zone'), asset, zone: fc.integer({ min: 0, max: ZONES.length - 1 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: kind('rules') }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('sensor'), sensor }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('asset'), asset }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('retain'), day: fc.integer({ min: 30, max: 34 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('restart') }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('backup') }) },
)

/** A row of any response. */
interface Row {
  asset_id: string
  start: string
  date: string
  impressions: number | null
  coverage: number
  days_with_data: number
  assets_with_data: number
  data: Row[]
}

interface Body {
  data: Row[]
  total: number
  average: number
}

interface Recorded {
  path: string
  instant: number
  body: Body
  /** The first day of each asset that was not over. */
  open: Map<string, string>
  /** The first day that was retained since. */
  retained: string
}

const date = (daysAgo: number): string => dateOf(today - daysAgo)

const iso = (seconds: number): string => new Date(seconds * 1000).toISOString()

/** RFC 3339 with microseconds. */
const format = (microseconds: number): string =>
  `${iso(Math.floor(microseconds / 1e6)).slice(0, 19)}.${String(microseconds % 1e6).padStart(6, '0')}Z`

/** Ranges of days that were over long ago, and one of days that may not be over. */
const OVER = [`from_date=${date(40)}&to_date=${date(4)}`, `from_date=${date(33)}&to_date=${date(29)}`]
const RECENT = `from_date=${date(34)}&to_date=${date(-2)}`

const OF_ASSET = ['daily?', 'summary?', 'timeseries?grain=day&', 'timeseries?grain=week&', 'timeseries?grain=month&']

const GROUPED = [
  '',
  'grain=week&',
  'grain=month&',
  'group_by=format&',
  'group_by=format&grain=quarter&',
  'group_by=asset&',
]

let folder: string
let count = 0
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'partner-metrics-as-of-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

/** A network with a history. */
class Network {
  recorded: Recorded[] = []
  private readonly serials: string[] = []
  private updates = 0
  /** Services of the same database, which may have cached something. */
  private former: World[] = []

  private constructor(
    private world: World,
    private readonly company: Made,
    private readonly key: string,
    private readonly assets: string[] = [],
  ) {}

  static async make(): Promise<Network> {
    const world = await World.open()
    const { make } = world
    const company = await make.company()
    const key = await make.key([company])
    const network = new Network(world, company, key)
    for (let i = 0; i < ASSETS; i++) await network.addAsset(i)
    // Another company, of which nothing is seen.
    await make.sensor({ grain: 'hour' })
    await network.import('vendors', [
      'name,own,finest_grain',
      ...Object.keys(GRAINS).map(name => `${name},false,${name}`),
    ])
    for (let i = 0; i < SENSORS; i++) await network.addSensor(i)
    return network
  }

  async stop(): Promise<void> {
    for (const each of [this.world, ...this.former]) await each.stop()
  }

  private import(kind: Kind, lines: readonly string[], options = {}): Promise<unknown> {
    return importFile(this.world.owner, kind, Readable.from([lines.join('\n')]), options)
  }

  private async addAsset(i: number): Promise<void> {
    const format = i % 2 ? 'transit' : 'billboard'
    const { id } = await this.world.make.asset({ company: this.company, format, time_zone: ZONES[i % 3] })
    this.assets[i] = id
  }

  private async addSensor(i: number): Promise<void> {
    this.serials[i] = `S${++count}`
    const grain = Object.keys(GRAINS)[i % 2]
    const line = `${this.serials[i]},M,${grain},${this.assets[i % ASSETS]},${iso((today - 60) * DAY)}`
    await this.import('sensors', ['serial,model,vendor_id,asset_id,installed_at', line])
  }

  /** Does what the database does not refuse. */
  async act(action: Action): Promise<void> {
    try {
      await this.change(action)
    } catch (error) {
      if (!/Error$/.test((error as Error).name) || /TypeError|database/.test(String(error))) throw error
    }
  }

  private async change(action: Action): Promise<unknown> {
    const { owner } = this.world
    switch (action.kind) {
      case 'counts': {
        const { sensor, day, first, length, value, erase } = action
        const step = HOUR * Object.values(GRAINS)[sensor % 2]!
        const start = (today - day) * DAY + first * HOUR
        const rows: string[] = []
        for (let i = 0; i < length; i++) {
          const instant = start + i * step
          if (instant + step > Date.now() / 1000) break
          rows.push(`${this.serials[sensor]},${iso(instant)},${erase && i % 3 === 0 ? '' : (value * (i + 3)) % 501}`)
        }
        if (rows.length === 0) return
        return this.import('impressions', ['sensor,start,impressions', ...rows], {
          erase,
          interval: Object.keys(GRAINS)[sensor % 2],
        })
      }
      case 'deletion': {
        const request = {
          kind: 'impressions' as const,
          of: [this.serials[action.sensor]!],
          from: date(action.day),
          to: date(action.day - action.days + 1),
        }
        return runDeletion(owner, { request, operation: { command: 'delete impressions' } })
      }
      case 'move': {
        const { sensor, asset, day, hour } = action
        const line = `${this.serials[sensor]},${this.assets[asset]},${iso((today - day) * DAY + hour * HOUR)}`
        return this.import('sensors', ['serial,asset_id,installed_at', line])
      }
      case 'zone':
        return this.import('assets', ['id,time_zone', `${this.assets[action.asset]},${ZONES[action.zone]}`])
      case 'rules': {
        const next = this.updates++ % 2 ? readNodeRules(ZONE) : LATER_RULES
        return updateZones(owner, { readRules: zone => (zone === ZONE ? next : readNodeRules(zone)), to: next.version })
      }
      case 'sensor': {
        const ids = [this.serials[action.sensor]!]
        await runDeletion(owner, { request: { kind: 'sensors', ids }, operation: { command: 'delete sensors' } })
        return this.addSensor(action.sensor)
      }
      case 'asset': {
        const id = this.assets[action.asset]!
        await runDeletion(owner, { request: { kind: 'assets', ids: [id] }, operation: { command: 'delete assets' } })
        // Networks are those of the assets of now.
        this.recorded = this.recorded.filter(({ path }) => path.includes('/assets/') && !path.includes(id))
        return this.addAsset(action.asset)
      }
      case 'retain': {
        const first = date(action.day)
        const request = { kind: 'everything' as const, to: date(action.day + 1) }
        await runDeletion(owner, { request, operation: { command: 'retain' } })
        for (const each of this.recorded) if (each.retained < first) each.retained = first
        return
      }
      case 'restart':
        return this.restart()
      case 'backup': {
        const path = join(folder, String(++count))
        await exportAll(owner, new ExportFolder(path), { version: '1' })
        const next = await World.open()
        await importAll(next.owner, path)
        await this.stop()
        this.former = []
        this.world = next
      }
    }
  }

  private async restart(): Promise<void> {
    const { database } = this.world
    this.former.push(this.world)
    this.world = await World.open({ database })
  }

  async record(path: string): Promise<void> {
    const { rows } = await this.world.owner.query(
      `SELECT greatest(to_microseconds(clock_timestamp()), (SELECT max(number) FROM revisions)) AS number`,
    )
    const open = await this.world.owner.query('SELECT a.id, z.* FROM assets a JOIN zone_rules z ON z.number = a.rules')
    const instant = rows[0].number as number
    this.recorded.push({
      path,
      instant,
      retained: '',
      body: await this.read(path),
      open: new Map(
        open.rows.map(row => [
          row.id,
          firstOpenDay(new ZoneRules(row.zone, row.version, row.starts, row.offsets), instant),
        ]),
      ),
    })
  }

  asOf(path: string, instant: number): Promise<Body> {
    return this.read(`${path}&as_of=${format(instant)}`)
  }

  /** Without the cursor, which belongs to the list. */
  private async read(path: string): Promise<Body> {
    const { pagination: _, ...body } = (await this.world.read(path, this.key)) as Body & { pagination: unknown }
    return body
  }

  /** Paths of responses, by a number. */
  path(i: number): string {
    const range = OVER[i % 2]!
    const id = this.assets[i % ASSETS]!
    const paths = [
      ...OF_ASSET.map(path => `/v1/partner/assets/${id}/impressions/${path}${range}`),
      ...GROUPED.map(path => `/v1/partner/impressions/aggregate?${path}${range}`),
      `/v1/partner/impressions/aggregate?format=transit&${range}`,
      `/v1/partner/impressions/aggregate?grain=week&asset_ids=${id}&${range}`,
      `/v1/partner/impressions/aggregate?group_by=asset&asset_ids=${id}&${range}`,
      `/v1/partner/impressions/aggregate?group_by=city&name_contains=asset&${range}`.replace(
        '&has_own_sensor=false',
        '&name_contains=asset',
      ),
      `/v1/partner/impressions?grain=day&${range}`,
      `/v1/partner/impressions?grain=week&limit=2&${range}`,
    ]
    return paths[i % paths.length]!
  }

  recentPaths(): string[] {
    return this.assets.map(id => `/v1/partner/assets/${id}/impressions/daily?${RECENT}`)
  }

  /** Compares the responses of networks at an instant, which are read in different ways. */
  async compareWays(instant: number): Promise<void> {
    const read = (query: string) => this.asOf(`/v1/partner/impressions/aggregate?${query}&${RECENT}`, instant)
    const ids = `asset_ids=${this.assets}`
    for (const grain of ['day', 'week', 'month']) {
      const byIds = await read(`grain=${grain}&${ids}`)
      expect(await read(`grain=${grain}`)).toEqual(byIds)
      expect(await read(`grain=${grain}&country=DE`)).toEqual(byIds)
      const grouped = await read(`grain=${grain}&group_by=format`)
      expect(await read(`grain=${grain}&group_by=format&${ids}`)).toEqual(grouped)
      expect(grouped.total).toBe(byIds.total)
    }
    const byAsset = await read('group_by=asset')
    expect(await read(`group_by=asset&${ids}`)).toEqual(byAsset)
    const days: Record<string, { sum: number; assets: number }> = {}
    for (const id of this.assets) {
      const path = `/v1/partner/assets/${id}/impressions/`
      const daily = await this.asOf(`${path}daily?${RECENT}`, instant)
      for (const { date, impressions } of daily.data) {
        days[date] ??= { sum: 0, assets: 0 }
        days[date].sum += impressions ?? 0
        days[date].assets += impressions === null ? 0 : 1
      }
      const summary = await this.asOf(`${path}summary?${RECENT}`, instant)
      const row = byAsset.data.find(each => each.asset_id === id)!
      const { days_with_data, coverage, impressions } = summary.data[0]!
      expect({ ...row, impressions: row.impressions ?? 0 }).toMatchObject({ days_with_data, coverage, impressions })
      const alone = await read(`asset_ids=${id}`)
      expect(alone.data.map(each => each.coverage)).toEqual(daily.data.map(each => each.coverage))
      const list = await this.asOf(`/v1/partner/impressions?grain=day&${RECENT}`, instant)
      const { data } = list.data.find(each => each.asset_id === id)!
      expect(data.map(({ start, ...each }) => ({ ...each, date: start.slice(0, 10) }))).toEqual(daily.data)
    }
    const all = await read('grain=day')
    expect(all.data.map(each => [each.start, each.impressions ?? 0, each.assets_with_data])).toEqual(
      Object.entries(days).map(([date, { sum, assets }]) => [date, sum, assets]),
    )
  }
}

/** Removes the days that were not over, and those that were not retained. */
function withoutDays(body: Body, { open, retained }: { open: string; retained: string }): unknown {
  const isKept = ({ date }: Row) => date >= retained && date < open
  const data = body.data.map(row => (isKept(row) ? row : { ...row, impressions: null, coverage: 0 }))
  const measured = data.filter(row => row.impressions !== null)
  const total = measured.reduce((sum, row) => sum + (row.impressions ?? 0), 0)
  const average = measured.length === 0 ? 0 : Math.round((total * 100) / measured.length) / 100
  return { data, total, average }
}

test('each response of a history is the one that as_of returns later', async () => {
  let compared = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(ACTION, { minLength: 15, maxLength: 30, size: 'max' }),
      fc.nat(1000),
      async (actions, seed) => {
        const network = await Network.make()
        try {
          let next = seed
          for (const action of actions) {
            await network.act(action)
            for (let i = 0; i < 4; i++) await network.record(network.path(next++))
            for (const path of network.recentPaths()) await network.record(path)
          }
          for (const { path, instant, body, open, retained } of network.recorded) {
            const isDaily = path.includes('/daily?')
            if (!isDaily && path.slice(path.indexOf('from_date=') + 10) < retained) continue
            const id = /assets\/(\w+)/.exec(path)?.[1]
            const expected = isDaily ? withoutDays(body, { open: open.get(id!)!, retained }) : body
            expect({ path, instant, body: await network.asOf(path, instant) }).toEqual({
              path,
              instant,
              body: expected,
            })
            compared++
          }
          const instants = network.recorded.map(({ instant }) => instant)
          for (let i = 0; i < instants.length; i += Math.ceil(instants.length / 6))
            await network.compareWays(instants[i]!)
        } finally {
          await network.stop()
        }
      },
    ),
    {
      ...scaledRuns(rounds(1, 60)),
      endOnFailure: true,
    },
  )
  expect(compared).toBeGreaterThan(0)
})
