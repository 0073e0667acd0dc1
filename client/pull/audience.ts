/** Reads origins and demographics, which have no list of many assets: a request for each asset and month. */
import { type Metrics, MetricsError } from '../index'
import type { Days, Row } from './store'

/** Requests at once. */
const CONCURRENCY = 4

export class Audience {
  constructor(private readonly metrics: Metrics) {}

  /** Returns the rows of assets, without those that were deleted in the meantime. */
  async *read(table: 'origins' | 'demographics', ids: readonly string[], days: Days): AsyncGenerator<Row> {
    for (let i = 0; i < ids.length; i += CONCURRENCY) {
      const some = ids.slice(i, i + CONCURRENCY)
      const found = await Promise.all(some.map(id => this[table](id, days)))
      for (const rows of found) yield* rows
    }
  }

  private async origins(id: string, days: Days): Promise<Row[]> {
    const { data, error, response } = await this.metrics.GET('/v1/partner/assets/{id}/impressions/by-city', {
      params: { path: { id }, query: rangeOf(days) },
    })
    if (error) return ignoreDeleted(response.status, error)
    return data.data.map(({ share, ...row }) => ({ asset_id: id, month: monthOf(days), ...row }))
  }

  private async demographics(id: string, days: Days): Promise<Row[]> {
    const { data, error, response } = await this.metrics.GET('/v1/partner/assets/{id}/demographics', {
      params: { path: { id }, query: rangeOf(days) },
    })
    if (error) return ignoreDeleted(response.status, error)
    return data.age_gender.map(({ share, ...row }) => ({ asset_id: id, month: monthOf(days), ...row }))
  }
}

const rangeOf = ([from_date, to_date]: Days) => ({ from_date, to_date })

const monthOf = ([from]: Days): string => `${from.slice(0, 7)}-01`

function ignoreDeleted(status: number, body: unknown): Row[] {
  const error = MetricsError.from(status, body)
  if (error.code !== 'NOT_FOUND') throw error
  return []
}
