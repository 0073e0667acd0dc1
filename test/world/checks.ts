/** Compares the service with the state after each step: everything that the contract says of it. */
import { isDeepStrictEqual } from 'node:util'
import { parse } from 'csv-parse/sync'
import { Answers, NO_GRAIN } from './answers'
import { dateOf } from './calendar'
import { Follower } from './follower'
import { Difference, type History, KEYS, type KeyName, type Moment, rangeQuery } from './history'
import { findWrongGap, type GapRow, type NoteRow, notesOf, restatementOf } from './provenance'
import { filterOf, type Question, questionsOf, questionsOfNetwork } from './questions'
import type { Random } from './random'
import type { Asset, State } from './state'

/** The keys whose data commands change. */
const READERS = ['one', 'both'] as const

/** Keys whose responses stay the same to the byte while the state says the same to them. */
const OBSERVERS = ['observer', 'one'] as const

const OBSERVED = (range: string, assets: readonly Asset[]) => [
  '/v1/partner/meta',
  '/v1/partner/assets',
  '/v1/partner/sensors',
  `/v1/partner/impressions?${range}`,
  `/v1/partner/impressions/aggregate?${range}`,
  `/v1/partner/gaps?${range}`,
  `/v1/partner/notes?${range}`,
  `/v1/partner/restatements?${range}`,
  '/v1/partner/changes?limit=500',
  '/v1/partner/changes?limit=500&kinds=notes',
  '/v1/metrics/assets',
  ...assets.flatMap(({ id }) => [
    `/v1/partner/assets/${id}/installations`,
    ...['demographics', 'impressions/by-city'].map(path => `/v1/partner/assets/${id}/${path}?${range}`),
    `/v1/metrics/assets/${id}?${range.replace('from_date', 'start').replace('to_date', 'end')}`,
  ]),
]

const OBSERVED_QUERY = `{
  sensors(limit: 500) { nodes { id model vendor health { status reason checkedAt } } }
}`

export class Checks {
  private readonly followers: Follower[]
  /** By observer, what the state said, the responses, and where the feed ended. */
  private readonly observed = new Map<KeyName, { view: string; responses: Map<string, string>; cursor: string }>()

  /** @param range the days of the history */
  constructor(
    private readonly history: History,
    private readonly random: Random,
    private readonly range: [number, number],
  ) {
    this.followers = READERS.map(key => new Follower(history, key))
  }

  /** Checks a sample of the questions, and what there is only one of. @param count of questions for each key */
  async run(count: number): Promise<void> {
    for (const key of READERS) {
      if (!this.companies(key).some(id => this.history.state.companies.has(id))) continue
      for (const question of this.random.sample(this.questions(key), count)) {
        const output = this.random.pick(['json', 'json', 'csv', 'ndjson'] as const)
        await this.ask(key, question, output)
      }
      await this.checkMeta(key)
      await this.checkRecords(key)
      await this.checkRestatements(key)
      await this.checkGaps(key)
      await this.checkNotes(key)
    }
    await this.checkPresent()
    for (const follower of this.followers) await follower.follow()
    for (const key of OBSERVERS) await this.checkObserver(key)
  }

  /** Checks what takes longer: copies, earlier states, and what is stored twice. */
  async runAll(): Promise<void> {
    await this.run(40)
    for (const follower of this.followers) await follower.compare(...this.range)
    for (const moment of this.history.moments) await this.checkMoment(moment, 4)
    const { code, stdout } = await this.history.run(['verify', '--json'])
    if (code !== 0) throw new Difference(`verify: ${stdout.slice(0, 800)}`)
  }

  private companies = (key: KeyName): readonly string[] => KEYS[key]

  private questions(key: KeyName): Question[] {
    const { assets } = new Answers(this.history.state, this.companies(key))
    if (assets.length === 0) return []
    const [first, last] = this.range
    const [one, other] = [this.pickDay(), this.pickDay()]
    const from = Math.min(one, other)
    const short: [number, number] = [from, Math.min(last, from + this.random.below(4))]
    const long: [number, number] = this.random.chance(0.5) ? [first, last] : [from, Math.max(one, other)]
    const filter = filterOf(this.random, assets)
    return [
      ...questionsOf(this.random.pick(assets).id, long, short),
      ...questionsOf(this.random.pick(assets).id, short, short),
      ...questionsOfNetwork(filter, long, short),
    ]
  }

  /** Returns a day of the range, often one with data, which bounds should not miss. */
  private pickDay(): number {
    const [first, last] = this.range
    const measured = Object.values(this.history.state.totals()).flatMap(totals => [...totals.keys()])
    if (measured.length === 0 || this.random.chance(0.3)) return first + this.random.below(last - first + 1)
    return Math.min(last, Math.max(first, Number(this.random.pick(measured).split(' ')[1])))
  }

  /** Compares a response with what follows from the state. */
  private async ask(key: KeyName, question: Question, output: 'json' | 'csv' | 'ndjson' = 'json'): Promise<void> {
    const { world, state, keys } = this.history
    const { path, answer } = question
    const wanted = answer(new Answers(state, this.companies(key)))
    const isList = typeof wanted === 'object' && wanted !== null && ('data' in wanted || Array.isArray(wanted))
    if (output !== 'json' && isList && !path.startsWith('/v1/metrics')) {
      const streamed = path.replace(/&limit=\d+/, '')
      const { status, text } = await world.get(`${streamed}&output=${output}`, { key: keys[key] })
      if (status !== 200) throw new Difference(`${path} as ${output}: ${status} ${text}`)
      const rows = Array.isArray(wanted)
        ? wanted.flatMap(({ asset_id, data }) => (data ?? []).map((row: object) => ({ asset_id, ...row })))
        : (wanted as { data: object[] }).data
      compare(`${path} as ${output}, key ${key}`, output === 'csv' ? rows.map(asText) : rows, parseRows(text, output))
      return
    }
    const { status, body, text } = await world.get(path, { key: keys[key] })
    if (wanted === NO_GRAIN) {
      if (body?.error?.code !== NO_GRAIN) throw new Difference(`${path}: ${status} ${text} instead of ${NO_GRAIN}`)
      return
    }
    if (status !== 200) throw new Difference(`${path}: ${status} ${text}`)
    compare(`${path}, key ${key}`, wanted, plainBody(body, wanted))
  }

  /**
   * Repeats earlier requests with `as_of`: they return the counts of that time, with everything else as it is recorded now. The time zone of
   * an asset decides whether a day was over; where it was corrected since, the contract leaves that open.
   */
  private async checkMoment(moment: Moment, count: number): Promise<void> {
    const { world, state, keys } = this.history
    for (const key of READERS) {
      const answers = new Answers(state, this.companies(key), moment.state, moment.at / 1e6)
      const zonesOf = ({ assets }: State, id: string) => assets.get(id)?.former.length
      const same = answers.assets.filter(({ id }) => zonesOf(moment.state, id) === zonesOf(state, id))
      if (same.length === 0) continue
      const filter =
        same.length === answers.assets.length ? filterOf(this.random, same) : { asset_ids: same.map(({ id }) => id) }
      const questions = [
        ...questionsOf(this.random.pick(same).id, this.range, this.range),
        ...questionsOfNetwork(filter, this.range, this.range),
      ].filter(({ hasAsOf }) => hasAsOf)
      for (const { path, answer } of this.random.sample(questions, count)) {
        const { status, body, text } = await world.get(`${path}&as_of=${instantOf(moment.at)}`, { key: keys[key] })
        if (status !== 200) throw new Difference(`${path} as of step ${moment.step}: ${status} ${text}`)
        const wanted = answer(answers)
        compare(`${path} as of step ${moment.step}, key ${key}`, wanted, plainBody(body, wanted))
      }
    }
  }

  /** The present is the state now, however far ahead or behind the clock of commits is. */
  private async checkPresent(): Promise<void> {
    const { history } = this
    history.present = Date.now()
    await this.checkMoment({ at: history.present * 1000, step: history.step, state: history.state }, 2)
    history.present = undefined
  }

  private async checkMeta(key: KeyName): Promise<void> {
    const { world, state, keys } = this.history
    const { companies } = await world.read('/v1/partner/meta', keys[key])
    const wanted = this.companies(key).flatMap(id => {
      const final = state.finalThrough(id)
      return state.companies.has(id) ? [{ id, name: id, final_through: final === null ? null : dateOf(final) }] : []
    })
    compare(`/meta, key ${key}`, wanted, companies)
  }

  /** Compares what assets and sensors say of each other, and of their data. */
  private async checkRecords(key: KeyName): Promise<void> {
    const { world, state, keys } = this.history
    const now = Date.now() / 1000
    const { assets } = new Answers(state, this.companies(key))
    const measured = new Map<string, number[]>()
    for (const day of state.totals().impressions.keys()) {
      const [asset, number] = day.split(' ') as [string, string]
      measured.set(asset, [...(measured.get(asset) ?? []), Number(number)])
    }
    const records = (await world.read('/v1/partner/assets?limit=500', keys[key])).data
    compare(
      `/assets, key ${key}`,
      assets.map(({ id, company, legacyId, zone, country, region, city, format }) => {
        const sensors = state.installedOn(id, now)
        const coarsest = ['day', 'hour', 'quarter_hour', 'minute'].find(grain =>
          sensors.some(each => each.grain === grain),
        )
        const days = measured.get(id)
        return {
          ...{ id, company_id: company, legacy_id: legacyId, time_zone: zone, country, region, city, format },
          sensor_ids: sensors.map(sensor => sensor.id),
          finest_grain: coarsest ?? null,
          measured_from: days ? dateOf(Math.min(...days)) : null,
          measured_to: days ? dateOf(Math.max(...days)) : null,
        }
      }),
      records.map((record: Record<string, unknown>) =>
        Object.fromEntries(
          [
            ...['id', 'company_id', 'legacy_id', 'time_zone', 'country', 'region', 'city', 'format'],
            ...['sensor_ids', 'finest_grain', 'measured_from', 'measured_to'],
          ].map(name => [name, record[name]]),
        ),
      ),
    )
    const { id } = this.random.pick(assets)
    const rows = (await world.read(`/v1/partner/assets/${id}/installations`, keys[key])).data
    compare(
      `/assets/${id}/installations, key ${key}`,
      state
        .installationsOn(id)
        .sort((a, b) => a.from - b.from || (a.sensor.id < b.sensor.id ? -1 : 1))
        .map(({ sensor, from, to }) => [
          ...[sensor.id, state.isShown(sensor.serial, id) ? sensor.serial : null, sensor.grain],
          ...[from, to].map(at => (at === Number.POSITIVE_INFINITY ? null : state.calendar(id).format(at))),
        ]),
      rows.map((row: Record<string, unknown>) => [row.sensor_id, row.serial, row.finest_grain, row.from, row.to]),
    )
    const sensors = (await world.read('/v1/partner/sensors?limit=500', keys[key])).data
    const installed = assets.flatMap(({ id }) =>
      state.installedOn(id, now).map(sensor => [sensor.id, id, sensor.grain]),
    )
    compare(
      `/sensors, key ${key}`,
      installed.sort(([a], [b]) => (a! < b! ? -1 : 1)),
      sensors.map((sensor: Record<string, unknown>) => [sensor.id, sensor.asset_id, sensor.finest_grain]),
    )
  }

  private async checkRestatements(key: KeyName): Promise<void> {
    const { history } = this
    const entries = history.restatements(key, ...this.range)
    const path = `/v1/partner/restatements?${rangeQuery(...this.range)}&output=ndjson`
    const { text } = await history.world.get(path, { key: history.keys[key] })
    let position = 0
    const wantedAt = () => entries[position] && restatementOf(entries[position]!)
    for (const { restated_at, ...row } of parseRows(text, 'ndjson') as Record<string, unknown>[]) {
      while (entries[position]?.isOptional && !isDeepStrictEqual(wantedAt(), row)) position++
      if (!isDeepStrictEqual(wantedAt(), row)) {
        throw new Difference(
          `restatements, key ${key}: ${JSON.stringify(row)} instead of ${JSON.stringify(wantedAt())}`,
        )
      }
      const at = Date.parse(String(restated_at)) / 1000
      const { from, to } = entries[position]!
      if (at < from - 0.1 || at > to + 0.1)
        throw new Difference(`restatements: ${JSON.stringify(row)} at ${restated_at}`)
      position++
    }
    const missing = entries.slice(position).find(({ isOptional }) => !isOptional)
    if (missing) throw new Difference(`restatements, key ${key}: none is ${JSON.stringify(restatementOf(missing))}`)
  }

  private async checkGaps(key: KeyName): Promise<void> {
    const { history } = this
    const first = this.range[0] + this.random.below(this.range[1] - this.range[0] - 10)
    const range: [number, number] = [first, first + 9]
    const path = `/v1/partner/gaps?${rangeQuery(...range)}&output=ndjson`
    const { text } = await history.world.get(path, { key: history.keys[key] })
    const rows = parseRows(text, 'ndjson') as GapRow[]
    for (const { id } of new Answers(history.state, this.companies(key)).assets) {
      const mine = rows.filter(({ asset_id }) => asset_id === id)
      const wrong = findWrongGap(history, mine, id, range, this.companies(key))
      if (wrong) throw new Difference(`gaps ${rangeQuery(...range)}, key ${key}: ${wrong}`)
    }
  }

  private async checkNotes(key: KeyName): Promise<void> {
    const { history } = this
    const path = `/v1/partner/notes?${rangeQuery(...this.range)}&output=ndjson`
    const { text } = await history.world.get(path, { key: history.keys[key] })
    // Public reasons of restatements are notes, too.
    const reasons = new Set(
      history.entries.flatMap(each => (each.isPublic && each.reason !== 'set_aside' ? [each.note] : [])),
    )
    const rows = (parseRows(text, 'ndjson') as (NoteRow & { updated_at: string })[])
      .filter(({ kind, text }) => !(kind === 'caveat' && reasons.has(text)))
      .map(({ updated_at: _, ...row }) => ({ ...row, id: row.kind === 'unusable' ? '' : row.id }))
    const sorted = (list: readonly NoteRow[]) => list.map(row => JSON.stringify(row)).sort()
    compare(`notes, key ${key}`, sorted(notesOf(history.state, this.companies(key), ...this.range)), sorted(rows))
  }

  /** Compares responses with those before a command that changes nothing for their key: sensors may have moved from or to other companies. */
  private async checkObserver(key: KeyName): Promise<void> {
    const { world, keys, state } = this.history
    const responses = new Map<string, string>()
    const { assets } = new Answers(state, this.companies(key))
    for (const path of OBSERVED(rangeQuery(...this.range), assets)) {
      const { status, headers, text } = await world.get(path, { key: keys[key] })
      // The cursor is a position in the changes of all companies.
      const tag = path.includes('/changes') ? '' : headers.etag
      responses.set(path, `${status} ${tag} ${text.replace(/"cursor":"[^"]*"/, '')}`)
    }
    responses.set('GraphQL', JSON.stringify(await world.graphql(keys[key], OBSERVED_QUERY)))
    const view = this.viewOf(key)
    const before = this.observed.get(key)
    const { pagination } = await world.read('/v1/partner/changes?limit=500', keys[key])
    this.observed.set(key, { view, responses, cursor: pagination.cursor })
    if (before?.view !== view) return
    // A database that was imported refuses cursors of the one before.
    const { status, text, body } = await world.get(`/v1/partner/changes?cursor=${before.cursor}`, { key: keys[key] })
    if (status !== 410 && body.data?.length !== 0) throw new Difference(`the feed, key ${key}: ${text}`)
    for (const [path, response] of responses) {
      if (before.responses.get(path) === response) continue
      throw new Difference(`${path}, key ${key}: ${response} instead of ${before.responses.get(path)}`)
    }
  }

  /** Returns what the state says to a key. */
  private viewOf(key: KeyName): string {
    const { state } = this.history
    const { assets } = new Answers(state, this.companies(key))
    const isOwn = (id: string) => assets.some(asset => asset.id === id)
    return JSON.stringify([
      // It gives earlier commits another time.
      this.history.setBacks,
      this.companies(key).map(id => state.companies.get(id)),
      assets.map(asset => [asset, state.shifts.get(asset.zone)]),
      assets.map(({ id }) =>
        state
          .installationsOn(id)
          .map(({ sensor, from, to }) => [sensor.id, from, to, state.isShown(sensor.serial, id)]),
      ),
      [...state.counts.values()].filter(({ asset }) => isOwn(asset)),
      Object.values(state.facts).map(facts =>
        [...facts].flatMap(([day, values]) => (isOwn(day.split(' ')[0]!) ? [[day, [...values]]] : [])),
      ),
      notesOf(state, this.companies(key), ...this.range),
      this.history.restatements(key, ...this.range),
    ])
  }
}

/** Returns the part of a body that the answer has. */
// biome-ignore lint/suspicious/noExplicitAny: bodies are JSON
function plainBody(body: any, wanted: unknown): unknown {
  if (body.analytics) return body.analytics
  if (!Array.isArray(wanted)) return body
  // biome-ignore lint/suspicious/noExplicitAny: bodies are JSON
  return body.data.map(({ error, ...entry }: any) => (error ? { ...entry, error: error.code } : entry))
}

const asText = (row: object) =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value === null ? '' : String(value)]))

function parseRows(text: string, output: 'csv' | 'ndjson'): unknown[] {
  if (output === 'csv') return parse(text, { columns: true })
  return text.split('\n').flatMap(line => (line === '' ? [] : [JSON.parse(line)]))
}

/** Formats microseconds since 1970 as RFC 3339. */
const instantOf = (at: number): string =>
  `${new Date(Math.floor(at / 1e6) * 1000).toISOString().slice(0, 19)}.${String(at % 1e6).padStart(6, '0')}Z`

/** @throws Difference with the first place that differs */
function compare(what: string, ...values: [wanted: unknown, actual: unknown]): void {
  // Values of packages that the worker has loaded have other prototypes.
  const [wanted, actual] = values.map(value => JSON.parse(JSON.stringify(value)))
  if (what.includes('/profile')) settleTies(wanted, actual)
  if (isDeepStrictEqual(wanted, actual)) return
  throw new Difference(`${what}: ${firstDifference(wanted, actual, '')}`)
}

/** A share of a profile is a part of a sum of averages: where it is half a unit, it may be rounded up or down. */
function settleTies(wanted: unknown, actual: unknown): void {
  if (typeof wanted !== 'object' || typeof actual !== 'object' || wanted === null || actual === null) return
  for (const [name, value] of Object.entries(wanted)) {
    const other = (actual as Record<string, unknown>)[name]
    const isTie = name === 'share' && Math.abs(Number(value) - Number(other)) < 0.00011
    if (isTie) Object.assign(actual, { share: value })
    else settleTies(value, other)
  }
}

function firstDifference(wanted: unknown, actual: unknown, path: string): string {
  const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
  if (isObject(wanted) && isObject(actual)) {
    for (const name of new Set([...Object.keys(wanted), ...Object.keys(actual)])) {
      if (isDeepStrictEqual(wanted[name], actual[name])) continue
      const label = ['date', 'start', 'asset_id']
        .flatMap(each => (wanted[each] ? [String(wanted[each])] : []))
        .join(' ')
      return firstDifference(wanted[name], actual[name], `${path}${label && `(${label})`}.${name}`)
    }
  }
  return `${path} is ${JSON.stringify(actual)} instead of ${JSON.stringify(wanted)}`
}
