/** Keeps a copy: takes a first one by streams, and follows the feed of changes from then on. Every step can be repeated. */

import { GRAINS } from '../../db/calendar/grains'
import { dateOf, dayNumber } from '../../db/calendar/local-days'
import type { Grain } from '../../schema/generated'
import { type Metrics, MetricsError } from '../index'
import { Audience } from './audience'
import { ChangeSummary, groupChanges } from './changes'
import type { Days, Row, State, Store } from './store'
import { TABLE_NAMES, type TableName } from './tables'

interface CopyOptions {
  grain: Grain
  /** The first day of impressions, origins and demographics; all days without it. */
  from: string | undefined
  /** Whether origins and demographics are copied. */
  withAudience: boolean
  /** The source of the copy, which is stored with it. */
  origin: State
}

export interface Summary {
  /** Whether a copy was begun, or one that was interrupted was completed. */
  first: boolean
  /** Whether the service required a new copy, because its data are those of a backup. */
  resynced: boolean
  /** Rows that were written, by table. */
  rows: Record<TableName, number>
  /** The changes that were followed. */
  changes: ChangeSummary
}

/** Rows that are inserted at once. */
const BATCH = 1_000

/** Changes that are applied together: as many assets as a filter can name. */
const PAGE = 200

/** The most changes of a page. */
const MAX_PAGE = 500

/** The last month that was copied is in `step`, and this value after the first copy. */
const COMPLETE = 'complete'

const LISTS = {
  assets: '/v1/partner/assets',
  sensors: '/v1/partner/sensors',
} as const

export class Copy {
  readonly summary: Summary = {
    ...{ first: false, resynced: false, changes: new ChangeSummary() },
    rows: Object.fromEntries(TABLE_NAMES.map(table => [table, 0])) as Record<TableName, number>,
  }
  private readonly audience: Audience
  private state: State = {}

  constructor(
    private readonly metrics: Metrics,
    private readonly store: Store,
    private readonly options: CopyOptions,
    private readonly report: (line: string) => void,
  ) {
    this.audience = new Audience(metrics)
  }

  /** @throws MetricsError */
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
      for (const table of TABLE_NAMES) await this.store.remove(table, null)
      await this.commit({ cursor: end, step: '' })
    }
    if (!this.state.step) {
      for (const list of ['assets', 'sensors'] as const) await this.copyRecords(list, null)
      await this.commit({ step: 'records' })
    }
    for (const [month, { origins, demographics }] of contents) {
      if (this.state.step !== 'records' && month <= this.state.step!) continue
      const days = this.daysOf(month)
      if (days[0] > days[1]) continue
      await this.copyDays(null, days)
      await this.copyAudience('origins', origins, days)
      await this.copyAudience('demographics', demographics, days)
      await this.commit({ step: month })
      this.report(`${month} is copied`)
    }
    await this.commit({ step: COMPLETE })
  }

  /** Reads the feed from its beginning. @returns the assets with data in each month, in order, and the end of the feed */
  private async readFeed() {
    const contents = new Map<string, { origins: string[]; demographics: string[] }>()
    // Each row has a text of its own for the same id.
    const ids = new Map<string, string>()
    for (let cursor: string | undefined; ; ) {
      const page = await this.readChanges({ ...(cursor !== undefined && { cursor }), limit: MAX_PAGE })
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

  /** @throws MetricsError */
  private async readChanges(query: { cursor?: string; limit: number }) {
    const { data, error, response } = await this.metrics.GET('/v1/partner/changes', { params: { query } })
    if (error) throw MetricsError.from(response.status, error)
    return data
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

  /** Applies a page of the feed. @returns whether there are more */
  private async followPage(): Promise<boolean> {
    const page = await this.readChanges({ cursor: this.state.cursor!, limit: PAGE })
    for (const { kind, ids, days } of groupChanges(page.data)) {
      if (kind === 'removed') for (const table of TABLE_NAMES) await this.store.remove(table, ids)
      else if (kind === 'asset') await this.copyRecords('assets', ids)
      else if (kind === 'sensors') await this.copyRecords('sensors', ids)
      else await this.copyChangedDays(kind, ids, days!)
    }
    await this.commit({ cursor: page.pagination.cursor })
    this.summary.changes.add(page.data)
    return page.pagination.has_more
  }

  private async copyChangedDays(kind: 'impressions' | 'origins' | 'demographics', ids: string[], [from, to]: Days) {
    if (kind !== 'impressions') return this.copyAudience(kind, ids, this.daysOf(from.slice(0, 7)))
    const { from: first = from } = this.options
    return this.copyDays(ids, [first > from ? first : from, to])
  }

  /** Returns the days of a month, from the chosen day on. */
  private daysOf(month: string): Days {
    const start = `${month}-01`
    const { from = start } = this.options
    return [from > start ? from : start, lastOfMonth(month)]
  }

  private async copyRecords(table: keyof typeof LISTS, ids: readonly string[] | null): Promise<void> {
    await this.store.remove(table, ids)
    await this.insertAll(table, this.readRows(LISTS[table], ids, {}))
  }

  private async copyDays(ids: readonly string[] | null, [from, to]: Days): Promise<void> {
    const { grain } = this.options
    const { maxDays } = GRAINS[grain]
    for (let day = dayNumber(from); day <= dayNumber(to); day += maxDays) {
      const days: Days = [dateOf(day), dateOf(Math.min(day + maxDays - 1, dayNumber(to)))]
      await this.store.remove('impressions', ids, days)
      const rows = this.readRows('/v1/partner/impressions', ids, { from_date: days[0], to_date: days[1], grain })
      await this.insertAll('impressions', withDates(rows))
    }
  }

  private async copyAudience(table: 'origins' | 'demographics', ids: readonly string[], days: Days): Promise<void> {
    if (!this.options.withAudience || days[0] > days[1]) return
    const month = `${days[0].slice(0, 7)}-01`
    await this.store.remove(table, ids, [month, month])
    await this.insertAll(table, this.audience.read(table, ids.toSorted(), days))
  }

  /** Reads rows, without assets that were deleted in the meantime: the feed lists them later. */
  private async *readRows(
    list: Parameters<Metrics['rows']>[0],
    ids: readonly string[] | null,
    filters: Record<string, string>,
  ): AsyncGenerator<Row> {
    try {
      yield* this.metrics.rows(list, { ...filters, asset_ids: ids?.join() } as never)
    } catch (error) {
      if (!(error instanceof MetricsError && error.code === 'NOT_FOUND' && ids)) throw error
      if (ids.length > 1) for (const id of ids) yield* this.readRows(list, [id], filters)
    }
  }

  private async insertAll(table: TableName, rows: AsyncIterable<Row>): Promise<void> {
    let batch: Row[] = []
    const flush = async () => {
      this.summary.rows[table] += batch.length
      await this.store.insert(table, batch)
      batch = []
    }
    for await (const row of rows) if (batch.push(row) === BATCH) await flush()
    await flush()
  }

  private async commit(state: State): Promise<void> {
    this.state = { ...this.state, ...state }
    await this.store.commit(this.state)
  }
}

/** Adds the local day to rows, and leaves out those without data. */
async function* withDates(rows: AsyncIterable<Row>): AsyncGenerator<Row> {
  for await (const row of rows) {
    if (row.impressions !== null) yield { ...row, date: (row.start as string).slice(0, 10) }
  }
}

const lastOfMonth = (month: string): string => {
  const [year, number] = month.split('-').map(Number) as [number, number]
  return new Date(Date.UTC(year, number, 0)).toISOString().slice(0, 10)
}
