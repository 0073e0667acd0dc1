/** Keeps a copy: takes a first one by streams, and follows the feed of changes from then on. Every step can be repeated. */
import type { Metrics, paths, Row } from '../index'
import { dataOf, MetricsError } from '../metrics-error'
import { type Days, daysOfMonth } from './days'
import { RowReader } from './row-reader'
import type { Part, SqlStore, State } from './sql-store'
import { type Grain, KINDS, TABLE_NAMES, TABLES, type TableName } from './tables'

interface CopyOptions {
  grain: Grain
  /** The first day of impressions, origins and demographics; all days without it. */
  from: string | undefined
  /** The source of the copy, which is stored with it. */
  origin: State
}

export interface Summary {
  /** Whether a copy was begun, or one that was interrupted was completed. */
  first: boolean
  /** Whether the service required a new copy, because its data are those of a backup. */
  resynced: boolean
  rows: Record<TableName, number>
  changes: number
}

/** Changes that are applied together: as many assets as a filter can name. */
const PAGE = 200

const MAX_PAGE = 500

/** The last month that was copied is in `step`, and this value after the first copy. */
const COMPLETE = 'complete'

const AUDIENCE = ['origins', 'demographics'] as const

export const positionOf = ({ cursor }: State): { cursor: string; kinds: string } => ({ cursor: cursor!, kinds: KINDS })

export class Copy {
  readonly summary: Summary = {
    ...{ first: false, resynced: false, changes: 0 },
    rows: Object.fromEntries(TABLE_NAMES.map(table => [table, 0])) as Record<TableName, number>,
  }
  private readonly reader: RowReader
  private state: State = {}

  constructor(
    private readonly metrics: Metrics,
    private readonly store: SqlStore,
    private readonly options: CopyOptions,
    private readonly report: (line: string) => void,
  ) {
    this.reader = new RowReader(metrics, options.grain, options.from)
  }

  async update(): Promise<Summary> {
    // It may have been followed under another address before.
    this.state = { ...(await this.store.readState()), ...this.options.origin }
    if (this.state.step !== COMPLETE) await this.copyAll()
    await this.followFeed()
    return this.summary
  }

  private async copyAll(): Promise<void> {
    this.summary.first = true
    // It begins with everything that there is. What changes during the copy is listed behind its end.
    const { contents, end } = await this.readFeed()
    if (!this.state.cursor) {
      for (const table of TABLE_NAMES) await this.replace(table, [], [{ ids: null }])
      await this.commit({ cursor: end, step: '' })
    }
    if (!this.state.step) {
      for (const list of ['assets', 'sensors', 'notes'] as const) await this.replace(list, [{ ids: null }])
      await this.commit({ step: 'records' })
    }
    for (const [month, content] of contents) {
      if (this.state.step !== 'records' && month <= this.state.step!) continue
      const days = daysOfMonth(month)
      if (this.options.from && this.options.from > days[1]) continue
      await this.replace('impressions', [{ ids: null, days }])
      for (const table of AUDIENCE) await this.replace(table, [{ ids: content[table], days }])
      await this.commit({ step: month })
      this.report(`${month} is copied`)
    }
    await this.commit({ step: COMPLETE })
  }

  /** Reads the feed from its beginning. @returns the assets with data in each month, in order, and the end of the feed */
  private async readFeed() {
    const contents = new Map<string, Record<(typeof AUDIENCE)[number], string[]>>()
    // Each row has a text of its own for the same id.
    const ids = new Map<string, string>()
    for (let cursor: string | undefined; ; ) {
      const page = await this.readChanges({ ...(cursor !== undefined && { cursor }), kinds: KINDS, limit: MAX_PAGE })
      for (const { asset_id, kind, from_date } of page.data) {
        if (!from_date) continue
        const month = from_date.slice(0, 7)
        const content = contents.get(month) ?? { origins: [], demographics: [] }
        contents.set(month, content)
        const id = ids.get(asset_id) ?? asset_id
        ids.set(id, id)
        if (kind === 'origins' || kind === 'demographics') content[kind].push(id)
      }
      cursor = page.pagination.cursor
      if (!page.pagination.has_more) {
        return { contents: [...contents].sort(([a], [b]) => (a < b ? -1 : 1)), end: cursor }
      }
    }
  }

  private async readChanges(query: { cursor?: string; kinds?: string; limit: number }) {
    return dataOf(await this.metrics.GET('/v1/partner/changes', { params: { query } }))
  }

  private async followFeed(): Promise<void> {
    try {
      while (await this.followPage());
    } catch (error) {
      if (!(error instanceof MetricsError && error.code === 'RESYNC_REQUIRED') || this.summary.resynced) throw error
      this.summary.resynced = true
      this.report('the service was restored from a backup: a new copy begins')
      await this.commit({ cursor: '', step: '' })
      await this.copyAll()
      await this.followFeed()
    }
  }

  /** Applies a page of the feed. An id that was removed may have been created again. @returns whether there are more */
  private async followPage(): Promise<boolean> {
    const page = await this.readChanges({ ...positionOf(this.state), limit: PAGE })
    const { removed, parts } = planChanges(page.data)
    for (const name of TABLE_NAMES) {
      const changed = parts.filter(({ table }) => table === name)
      await this.replace(name, changed, removed.length > 0 ? [{ ids: removed }] : [])
    }
    await this.commit({ cursor: page.pagination.cursor })
    this.summary.changes += page.data.length
    return page.pagination.has_more
  }

  /** Replaces parts of a table by the rows of the service. @param removed further parts, which are only removed */
  private async replace(table: TableName, parts: readonly Part[], removed: readonly Part[] = []): Promise<void> {
    const all = [...removed, ...parts]
    if (all.length > 0) await this.store.replace(table, all, this.readRows(table, parts))
  }

  private async *readRows(table: TableName, parts: readonly Part[]): AsyncGenerator<Row> {
    for (const part of parts) {
      for await (const row of this.reader.read(table, part)) {
        this.summary.rows[table]++
        yield row
      }
    }
  }

  private async commit(state: State): Promise<void> {
    this.state = { ...this.state, ...state }
    await this.store.commit(this.state)
  }
}

type FeedChange = paths['/v1/partner/changes']['get']['responses'][200]['content']['application/json']['data'][number]

interface ReplacedPart extends Part {
  table: TableName
  ids: string[]
}

/** Returns the parts of tables that have to be read again, which do not overlap, and the assets to be removed before. */
function planChanges(changes: readonly FeedChange[]): { removed: string[]; parts: ReplacedPart[] } {
  const removed = changes.flatMap(({ kind, asset_id }) => (kind === 'removed' ? asset_id : []))
  // A range is within a month.
  const ofAssets = new Map<string, { table: TableName; id: string; days: Days | undefined }>()
  for (const { asset_id: id, kind, from_date: from, to_date: to } of changes) {
    const table = kind === 'asset' ? 'assets' : (kind as TableName)
    // A service can have kinds that this version does not know.
    if (!Object.hasOwn(TABLES, table)) continue
    const key = `${table} ${id} ${from?.slice(0, 7)}`
    const known = ofAssets.get(key)?.days
    if (!from || !to) ofAssets.set(key, { table, id, days: undefined })
    else if (table !== 'impressions') ofAssets.set(key, { table, id, days: daysOfMonth(from.slice(0, 7)) })
    else ofAssets.set(key, { table, id, days: known ? coverBoth(known, [from, to]) : [from, to] })
  }
  const parts = new Map<string, ReplacedPart>()
  for (const { table, id, days } of ofAssets.values()) {
    const part = parts.get(`${table} ${days}`) ?? { table, ids: [], days }
    part.ids.push(id)
    parts.set(`${table} ${days}`, part)
  }
  return { removed, parts: [...parts.values()] }
}

const coverBoth = (one: Days, other: Days): Days => [
  one[0] < other[0] ? one[0] : other[0],
  one[1] > other[1] ? one[1] : other[1],
]
