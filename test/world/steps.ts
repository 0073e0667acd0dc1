/** The steps of random histories: each chooses a command and what it is about. */
import { dayOf, type Grain, periodOf, SECONDS } from './calendar'
import { type Cell, Commands } from './commands'
import { type Change, type History, KEYS, type Said } from './history'
import type { Random } from './random'
import type { Asset, FactKind, Sensor } from './state'

const ZONES = [
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Auckland',
  'America/Vancouver',
  'America/Edmonton',
]

/** The zones whose rules are updated in a history. */
export const UPDATED_ZONES = ['America/Vancouver', 'America/Edmonton']

const CITIES = [
  ['DE', 'DE-BE', 'Berlin'],
  ['DE', 'DE-HH', 'Hamburg'],
  ['US', 'US-NY', 'Albany'],
] as const
const HOMES = ['DE|DE-BE|Berlin', 'DE|DE-BB|Potsdam', 'US|US-NJ|Newark']
const GROUPS = ['male|18-24', 'female|25-34', 'unknown|unknown']
const COMPANIES: readonly string[] = KEYS.both

const OBSERVED = { asset: 'assetobserver1', serial: 'OBSERVER' }

/** The share with which each step is chosen. */
const WEIGHTS = {
  counts: 30,
  emptyDays: 6,
  facts: 7,
  emptyFacts: 3,
  move: 12,
  zone: 7,
  rules: 2,
  attributes: 3,
  stretch: 9,
  restored: 8,
  month: 5,
  reopened: 3,
  withoutSensor: 3,
  withoutAsset: 3,
  retention: 2,
  note: 5,
  clock: 6,
} as const

type Step = keyof typeof WEIGHTS

export class Steps extends Commands {
  /** The days of a history: some of them over for long, some just now, and today. */
  readonly days: number[]
  readonly first: number
  readonly last: number
  private names = 0

  constructor(
    history: History,
    private readonly random: Random,
  ) {
    super(history)
    const today = Math.floor(Date.now() / 86_400_000)
    const ago = [0, 1, 2, 3, 8, 20, 30, 40, 60, 75, 90, 100].map(count => today - count)
    const changes = ['2026-10-04', '2026-10-25', '2026-11-01'].map(dayOf).filter(day => day < today)
    this.days = [...new Set([...ago, ...changes])].sort((a, b) => a - b)
    this.first = this.days[0]! - 2
    this.last = today + 3
  }

  /** Makes the assets, sensors and first counts of a history. */
  async begin(): Promise<void> {
    const zones = this.random.sample(ZONES.slice(0, 5), 3)
    await this.addAssets([
      ...zones.map(zone => this.newAsset(COMPANIES[0]!, zone)),
      this.newAsset(COMPANIES[0]!, UPDATED_ZONES[0]!),
      this.newAsset(COMPANIES[1]!, UPDATED_ZONES[1]!),
      this.newAsset(COMPANIES[1]!, zones[0]!),
      this.newAsset(KEYS.observer[0], 'Europe/Berlin', OBSERVED.asset),
    ])
    const assets = this.assets()
    await this.addSensors([
      ...(['quarter_hour', 'quarter_hour', 'minute', 'hour', 'hour', 'day', 'day'] as const).map(grain =>
        this.newSensor(grain, this.random.pick(assets).id),
      ),
      this.newSensor('hour', OBSERVED.asset),
    ])
    for (const grain of ['quarter_hour', 'minute', 'hour', 'day'] as const) await this.counts(grain, 8)
    for (const kind of ['origins', 'demographics'] as const) await this.facts(kind)
    const observed = this.days.slice(-4, -1).flatMap(day => this.startsOf(OBSERVED.serial, day, 5))
    await this.importCounts(
      'hour',
      observed.map((at, value) => ({ serial: OBSERVED.serial, at, value })),
    )
  }

  /** Runs a random step. */
  async next(): Promise<void> {
    const name: Step = this.random.weighted(WEIGHTS)
    await this[name]()
  }

  /** Runs a command, at times as a dry run before, which has the same outcome and changes nothing. */
  protected override async apply(change: Change) {
    if (change.args[0] !== 'note' && this.random.chance(0.15)) {
      await this.history.change({ ...change, args: [...change.args, '--dry-run'] })
    }
    return this.history.change(change)
  }

  // Choices

  private assets(): Asset[] {
    return [...this.state.assets.values()].filter(({ company }) => COMPANIES.includes(company))
  }

  private sensors(grain?: Grain): Sensor[] {
    const all = [...this.state.sensors.values()].filter(({ serial }) => serial !== OBSERVED.serial)
    return grain ? all.filter(each => each.grain === grain) : all
  }

  private countsOf(serial: string): { asset: string; day: number; at: number }[] {
    return [...this.state.counts.values()].filter(count => count.serial === serial)
  }

  /** Returns an instant of a day, often a midnight or whole hour somewhere. */
  private instant(): number {
    const start = this.state.calendar(this.random.pick(this.assets()).id).start(this.random.pick(this.days))
    return start + this.random.pick([0, 0, 3600 * this.random.below(24), 60 * this.random.below(1440)])
  }

  private explanation(restate = 0.35): Said {
    const note = this.random.chance(0.6) ? `note ${this.random.below(1000)}` : null
    const isPublic = note !== null && this.random.chance(0.5)
    return { note, isPublic, restate: note !== null && this.random.chance(restate) }
  }

  private range(): [number, number] {
    const first = this.random.pick(this.days)
    return [first, first + this.random.pick([0, 0, 1, 5, 30])]
  }

  /** Returns starts of native intervals of a sensor on a day, none in the future. */
  private startsOf(serial: string, day: number, count: number): number[] {
    const { grain, installations } = this.state.sensor(serial)
    const now = Date.now() / 1000
    const starts = [...new Set(installations.map(({ asset }) => asset))].flatMap(asset =>
      this.state
        .calendar(asset)
        .starts(day, grain)
        .filter(at => this.state.place(serial, at)?.asset === asset && at + SECONDS[grain] < now),
    )
    return this.random.sample([...new Set(starts)], count)
  }

  private newAsset(company: string, zone: string, id?: string): Asset {
    const number = ++this.names
    const [country, region, city] = this.random.pick(CITIES)
    const name = id ?? `asset${String(number).padStart(7, '0')}`
    const format = this.random.pick(['billboard', 'transit'])
    return { id: name, company, legacyId: 100 + number, zone, country, region, city, format, former: [] }
  }

  private newSensor(grain: Grain, asset: string): Sensor {
    const number = ++this.names
    const serial = asset === OBSERVED.asset ? OBSERVED.serial : `S${number}`
    const from = this.state.calendar(asset).start(this.first - 30)
    return { id: `sensor${String(number).padStart(6, '0')}`, serial, grain, installations: [{ asset, from, to: null }] }
  }

  // Steps

  private async counts(grain?: Grain, dayCount = 3): Promise<void> {
    const chosen = grain ?? this.random.pick<Grain>(['quarter_hour', 'hour', 'minute', 'day'])
    const sensors = this.random.sample(this.sensors(chosen), grain ? 9 : 1 + this.random.below(3))
    const erase = this.random.chance(0.3)
    const cells = new Map<string, Cell>()
    for (const { serial } of sensors) {
      const fresh = this.random
        .sample(this.days, dayCount)
        .flatMap(day => this.startsOf(serial, day, 1 + this.random.below(9)))
      const stored = this.random.sample(this.countsOf(serial), this.random.below(7)).map(({ at }) => at)
      for (const at of [...fresh, ...stored]) {
        const old = this.state.countAt(serial, at)?.value
        const value = this.random.pick([0, old ?? 1, 1 + this.random.below(40)])
        cells.set(`${serial} ${at}`, { serial, at, value: erase && this.random.chance(0.5) ? undefined : value })
      }
    }
    if (cells.size === 0) return
    const isFaulty = this.random.chance(0.05)
    await this.importCounts(chosen, this.random.sample([...cells.values()], cells.size), {
      erase,
      ...(isFaulty && { extra: `${sensors[0]!.serial},2020-06-01T00:00:00Z,1` }),
      ...this.explanation(),
    })
  }

  private async emptyDays(): Promise<void> {
    await this.deleteImpressions(this.random.pick(this.sensors()).serial, ...this.range(), this.explanation())
  }

  private async facts(kind: FactKind = this.random.pick(['origins', 'demographics'])): Promise<void> {
    const { id } = this.random.pick(this.assets())
    const erase = this.random.chance(0.3)
    const past = this.days.filter(day => this.state.calendar(id).end(day) < Date.now() / 1000)
    const facts = this.random.sample(past, 3).flatMap(day =>
      this.random.sample(kind === 'origins' ? HOMES : GROUPS, 2).map(name => {
        const value = erase && this.random.chance(0.5) ? undefined : 1 + this.random.below(90)
        return { day, name, value }
      }),
    )
    await this.importFacts(kind, id, facts, { erase, ...this.explanation() })
  }

  private async emptyFacts(): Promise<void> {
    const kind = this.random.pick(['origins', 'demographics'] as const)
    await this.deleteFacts(kind, this.random.pick(this.assets()).id, ...this.range(), this.explanation())
  }

  private async move(): Promise<void> {
    const { serial, grain } = this.random.pick(this.sensors())
    const asset = this.random.chance(0.1) ? null : this.random.pick(this.assets()).id
    const past = this.random.pick(this.days.slice(0, -1))
    const at = grain === 'day' && asset !== null ? this.state.calendar(asset).start(past) : this.instant()
    await this.install(serial, asset, Math.min(at, Math.floor(Date.now() / 1000) - 60), this.explanation())
  }

  private async zone(): Promise<void> {
    await this.correctZone(this.random.pick(this.assets()).id, this.random.pick(ZONES), this.explanation())
  }

  private async rules(): Promise<void> {
    if (this.state.shifts.size === 0) return this.zone()
    await this.updateZones(this.explanation())
  }

  private async attributes(): Promise<void> {
    await this.setAttributes(this.random.pick(this.assets()).id, this.random.pick(CITIES))
  }

  private async clock(): Promise<void> {
    await this.setClock(86_400 * this.random.pick([0, 0, -2, -1, 1, 3]))
  }

  private async stretch(): Promise<void> {
    const { serial, grain } = this.random.pick(this.sensors())
    const counts = this.countsOf(serial)
    const length = this.random.pick([900, 3600, 1000, 86_400, 10 * 86_400])
    let from = this.instant()
    let to = from + length
    if (counts.length > 0 && (grain === 'day' || this.random.chance(0.7))) {
      const { asset, day, at } = this.random.pick(counts)
      const calendar = this.state.calendar(asset)
      const start = at - this.random.pick([0, 0, 450, 3600])
      const range = [start, start + length] as const
      ;[from, to] = grain === 'day' ? [at, calendar.end(day + this.random.pick([0, 2]))] : range
    }
    const said = this.explanation()
    await this.setAside(serial, from, to, { ...said, note: said.note ?? 'bus parked before it' })
  }

  private async restored(): Promise<void> {
    if (this.state.stretches.size === 0) return this.stretch()
    await this.restore(this.random.pick([...this.state.stretches.keys()]), this.explanation())
  }

  private async month(): Promise<void> {
    const present = periodOf(this.last - 3, 'month')
    const month = periodOf(this.random.pick(this.days.filter(day => day < present)), 'month')
    const companies = [...this.state.companies.keys()].filter(id => id !== KEYS.observer[0])
    // The zones of some assets are behind UTC: their month may not be over on the first day of the next one.
    if (present + 1 > this.last - 4) return
    await this.close(this.random.pick(companies), periodOf(month + 31, 'month') - 1)
  }

  private async reopened(): Promise<void> {
    const closed = [...this.state.companies.values()].filter(company => company.closed.length > 0)
    if (closed.length === 0) return this.month()
    const { id, closed: ends } = this.random.pick(closed)
    await this.undoClose(id, this.random.pick([ends.at(-1)!, ends.at(-1)!, ends[0]!]))
  }

  private async withoutSensor(): Promise<void> {
    const { serial, grain } = this.random.pick(this.sensors())
    const { isDone } = await this.deleteSensor(serial, this.explanation(0.8))
    if (isDone) await this.addSensors([this.newSensor(grain, this.random.pick(this.assets()).id)])
  }

  private async withoutAsset(): Promise<void> {
    if (this.assets().length < 4) return
    const { id, company, zone } = this.random.pick(this.assets())
    const { isDone } = await this.deleteAsset(id, this.explanation(0.8))
    if (isDone) await this.addAssets([this.newAsset(company, zone, this.random.chance(0.5) ? id : undefined)])
  }

  private async retention(): Promise<void> {
    await this.retain(1 + this.random.below(3))
  }

  private async note(): Promise<void> {
    if (this.state.notes.size > 0 && this.random.chance(0.4)) {
      await this.removeNote(this.random.pick([...this.state.notes.keys()]))
      return
    }
    const [from, last] = this.range()
    const isOnAsset = this.random.chance(0.5)
    await this.addNote({
      asset: isOnAsset ? this.random.pick(this.assets()).id : null,
      serial: isOnAsset ? null : this.random.pick(this.sensors()).serial,
      from,
      to: this.random.chance(0.7) ? last : null,
      kind: this.random.pick(['caveat', 'break']),
      text: `text ${this.random.below(1_000_000)}`,
      internal: this.random.chance(0.2),
    })
  }
}
