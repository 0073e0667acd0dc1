/** A partner's copy: applies the rows of the feed in order, and reads again what they name. */
import { isDeepStrictEqual } from 'node:util'
import { dateOf, periodOf } from './calendar'
import { Difference, type History, type KeyName } from './history'

const KINDS = 'asset,removed,sensors,impressions,origins,demographics,notes'

interface FeedRow {
  asset_id: string
  kind: string
  from_date: string
  to_date: string
}

type Copy = Map<string, Map<string, unknown>>

const emptyCopy = () =>
  new Map<string, unknown>([
    ['sensors', []],
    ['installations', []],
    ['notes', []],
  ])

export class Follower {
  private cursor = ''
  private copy: Copy = new Map()
  /** The rows of the last pass, by asset and kind. */
  listed: FeedRow[] = []

  constructor(
    private readonly history: History,
    readonly key: KeyName,
  ) {}

  /** Reads the feed to its end, and what it names. */
  async follow(): Promise<void> {
    const { world, keys } = this.history
    this.listed = []
    for (;;) {
      const cursor = this.cursor && `&cursor=${this.cursor}`
      const { status, body, text } = await world.get(`/v1/partner/changes?kinds=${KINDS}&limit=50${cursor}`, {
        key: keys[this.key],
      })
      if (status === 410) {
        this.cursor = ''
        this.copy = new Map()
        continue
      }
      if (status !== 200) throw new Difference(`/changes: ${status} ${text}`)
      this.listed.push(...body.data)
      this.cursor = body.pagination.cursor
      if (!body.pagination.has_more) break
    }
    for (const row of this.listed) await this.apply(row)
  }

  private async apply({ asset_id, kind, from_date, to_date }: FeedRow): Promise<void> {
    if (kind === 'removed') {
      this.copy.delete(asset_id)
      return
    }
    const mine = this.copy.get(asset_id) ?? emptyCopy()
    this.copy.set(asset_id, mine)
    if (from_date !== null && from_date.slice(0, 7) !== to_date.slice(0, 7)) {
      throw new Difference(`a row of the feed is beyond a month: ${from_date} to ${to_date}`)
    }
    await this.read(mine, asset_id, kind, from_date, to_date)
  }

  /** Reads a part of an asset into a copy. */
  private async read(mine: Map<string, unknown>, asset: string, kind: string, from = '', to = ''): Promise<void> {
    const { world, keys } = this.history
    const key = keys[this.key]
    const path = `/v1/partner/assets/${asset}`
    const range = `from_date=${from}&to_date=${to}`
    const get = async (path: string) => {
      const { status, body, text } = await world.get(path, { key })
      // An asset that the feed names may be gone by now: a later row says so.
      if (status !== 200 && status !== 404) throw new Difference(`${path}: ${status} ${text}`)
      return status === 200 ? body : undefined
    }
    if (kind === 'asset') {
      const record = await get(path)
      if (record) mine.set('asset', { ...record, measured_from: null, measured_to: null })
    } else if (kind === 'sensors' || kind === 'notes') {
      const query = kind === 'sensors' ? '' : '&from_date=1970-01-01&to_date=2099-12-31'
      const body = await get(`/v1/partner/${kind}?asset_ids=${asset}&limit=500${query}`)
      mine.set(kind, body?.data ?? [])
      if (kind === 'sensors') mine.set('installations', (await get(`${path}/installations`))?.data ?? [])
    } else if (kind === 'impressions') {
      const body = await get(`${path}/impressions/daily?${range}`)
      for (const { date, impressions, coverage } of body?.data ?? []) {
        if (impressions === null) mine.delete(`day ${date}`)
        else mine.set(`day ${date}`, [impressions, coverage])
      }
    } else {
      // Origins and demographics are copied by day, too.
      for (let date = from; date <= to; date = dateOf(Date.parse(date) / 86_400_000 + 1)) {
        const day = `from_date=${date}&to_date=${date}`
        const body = await get(
          kind === 'origins' ? `${path}/impressions/by-city?${day}` : `${path}/demographics?${day}`,
        )
        if (!body || body.total === 0) mine.delete(`${kind} ${date}`)
        else mine.set(`${kind} ${date}`, body)
      }
    }
  }

  /** Compares the copy with all that the key reads now. */
  async compare(first: number, last: number): Promise<void> {
    const { world, keys, state } = this.history
    const { data: assets } = await world.read('/v1/partner/assets?limit=500', keys[this.key])
    const actual: Copy = new Map()
    for (const { id } of assets as { id: string }[]) {
      const mine = emptyCopy()
      actual.set(id, mine)
      for (const kind of ['asset', 'sensors', 'notes']) await this.read(mine, id, kind)
      for (let month = periodOf(first, 'month'); month <= last; month = periodOf(month + 31, 'month')) {
        const [from, to] = [month, periodOf(month + 31, 'month') - 1].map(dateOf) as [string, string]
        await this.read(mine, id, 'impressions', from, to)
      }
      for (const kind of ['origins', 'demographics'] as const) {
        for (const day of state.facts[kind].keys()) {
          const [asset, number] = day.split(' ') as [string, string]
          if (asset === id) await this.read(mine, id, kind, dateOf(Number(number)), dateOf(Number(number)))
        }
      }
    }
    const ids = [...new Set([...this.copy.keys(), ...actual.keys()])].sort()
    for (const id of ids) {
      const [mine, theirs] = [this.copy.get(id), actual.get(id)]
      if (!mine || !theirs) throw new Difference(`copy of key ${this.key}: ${id} is ${mine ? 'gone' : 'missing'}`)
      for (const part of new Set([...mine.keys(), ...theirs.keys()])) {
        const [one, other] = [mine.get(part), theirs.get(part)]
        if (isDeepStrictEqual(one, other)) continue
        throw new Difference(
          `copy of key ${this.key}, ${id}: ${part} is ${JSON.stringify(one)} instead of ${JSON.stringify(other)}`,
        )
      }
    }
  }
}
