/** Reads the rows of each table from the service, without those of assets that were deleted in the meantime: the feed lists them later. */
import type { Metrics, Row } from '../index'
import { dataOf, MetricsError } from '../metrics-error'
import { addDays, type Days } from './days'
import type { Part } from './sql-store'
import { type Grain, MAX_DAYS, type TableName } from './tables'

/** The beginning of the names of columns with ids in other systems. */
const EXTERNAL_IDS = 'external_ids_'

const CONCURRENCY = 4

export class RowReader {
  /** @param from the first day of impressions, origins and demographics; all days without it */
  constructor(
    private readonly metrics: Metrics,
    private readonly grain: Grain,
    private readonly from: string | undefined,
  ) {}

  async *read(table: TableName, { ids, days }: Part): AsyncGenerator<Row> {
    if (table === 'notes') return yield* this.readNotes(ids)
    if (table === 'assets') return yield* this.readAssets(ids)
    if (!days) return yield* this.readList('/v1/partner/sensors', ids, {})
    const [first, to] = days
    const from = this.from && this.from > first ? this.from : first
    if (from > to) return
    if (table === 'impressions') yield* this.readImpressions(ids, [from, to])
    else yield* this.readAudience(table as 'origins' | 'demographics', ids!, [from, to])
  }

  private async *readList(
    list: Parameters<Metrics['rows']>[0],
    ids: Part['ids'],
    filters: Record<string, string>,
  ): AsyncGenerator<Row> {
    try {
      yield* this.metrics.rows(list, { ...filters, asset_ids: ids?.join() } as never)
    } catch (error) {
      if (!isDeleted(error) || !ids) throw error
      if (ids.length > 1) for (const id of ids) yield* this.readList(list, [id], filters)
    }
  }

  /** Returns assets with their ids in other systems as one JSON object: a table has the same columns whatever these are. */
  private async *readAssets(ids: Part['ids']): AsyncGenerator<Row> {
    for await (const row of this.readList('/v1/partner/assets', ids, {})) {
      const external = Object.entries(row).filter(([name, id]) => name.startsWith(EXTERNAL_IDS) && id !== null)
      const named = external.map(([name, id]) => [name.slice(EXTERNAL_IDS.length), id])
      yield { ...row, external_ids: JSON.stringify(Object.fromEntries(named)) }
    }
  }

  /** Returns notes with names of columns that SQL does not reserve. */
  private async *readNotes(ids: Part['ids']): AsyncGenerator<Row> {
    const filters = { from_date: this.from ?? '0001-01-01', to_date: '9999-12-31' }
    for await (const { from = null, to = null, ...row } of this.readList('/v1/partner/notes', ids, filters)) {
      yield { ...row, from_date: from, to_date: to }
    }
  }

  /** Returns rows with their local day, without those that have no data. */
  private async *readImpressions(ids: Part['ids'], [from, to]: Days): AsyncGenerator<Row> {
    const { grain } = this
    for (let first = from; first <= to; first = addDays(first, MAX_DAYS[grain])) {
      const last = addDays(first, MAX_DAYS[grain] - 1)
      const filters = { from_date: first, to_date: last < to ? last : to, grain }
      for await (const row of this.readList('/v1/partner/impressions', ids, filters)) {
        if (row.impressions !== null) yield { ...row, date: (row.start as string).slice(0, 10) }
      }
    }
  }

  /** Sends a request for each asset: there is no list of many. */
  private async *readAudience(
    table: 'origins' | 'demographics',
    ids: readonly string[],
    [from_date, to_date]: Days,
  ): AsyncGenerator<Row> {
    const month = `${from_date.slice(0, 7)}-01`
    const read = async (id: string): Promise<Row[]> => {
      const params = { params: { path: { id }, query: { from_date, to_date } } }
      const rows =
        table === 'origins'
          ? dataOf(await this.metrics.GET('/v1/partner/assets/{id}/impressions/by-city', params)).data
          : dataOf(await this.metrics.GET('/v1/partner/assets/{id}/demographics', params)).age_gender
      return rows.map(({ share, ...row }) => ({ asset_id: id, month, ...row }))
    }
    const sorted = ids.toSorted()
    for (let i = 0; i < sorted.length; i += CONCURRENCY) {
      const some = sorted.slice(i, i + CONCURRENCY).map(id => read(id).catch(noneIfDeleted))
      for (const rows of await Promise.all(some)) yield* rows
    }
  }
}

const isDeleted = (error: unknown): boolean => error instanceof MetricsError && error.code === 'NOT_FOUND'

function noneIfDeleted(error: unknown): [] {
  if (isDeleted(error)) return []
  throw error
}
