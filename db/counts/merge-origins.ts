/** Merges rows of origins into the months of assets, where the counts of each day are packed. */
import type { ClientBase } from 'pg'
import { packOrigins, unpackOrigins } from '../calendar/packed-origins'
import { readBatches } from '../cursor'
import type { StoredFigures } from '../figures'

/** Months of assets that are fetched and written at once. */
const BATCH = 500

type MergedFigures = Required<Pick<StoredFigures, 'stored' | 'unchanged' | 'erased'>>

/** The rows of an asset in a month, and the month as it is stored. */
interface Month {
  asset: number
  company: number
  /** Its first day. */
  month: string
  /** Day of the month, place and impressions; null erases. By day. */
  rows: [day: number, place: string, impressions: number | null][]
  /** Null where nothing is stored. */
  places: string[] | null
  /** By day of the month, separated by commas; empty for a day without counts. */
  days: string | null
}

/** @param rows SQL of rows with `asset`, `company`, `date`, `region`, `city` and `impressions` */
export async function mergeOrigins(client: ClientBase, rows: string): Promise<MergedFigures> {
  const figures: MergedFigures = { stored: 0, unchanged: 0, erased: 0 }
  const merged = `SELECT s.asset, s.company, s.month::text, s.rows, m.places, array_to_string(m.days, ',', '') AS days
      FROM (
        SELECT asset, company, date - extract(day FROM date)::integer + 1 AS month,
          json_agg(json_build_array(extract(day FROM date), concat(region, ' ', city), impressions) ORDER BY date, region, city) AS rows
        FROM (${rows}) AS r GROUP BY asset, company, month
      ) AS s LEFT JOIN origin_months m ON (m.asset, m.month) = (s.asset, s.month)
      ORDER BY s.month, s.asset`
  for await (const months of readBatches<Month>(client, merged, BATCH)) {
    await storeMonths(
      client,
      months.flatMap(month => mergeMonth(month, figures) ?? []),
    )
  }
  return figures
}

interface MergedMonth extends Pick<Month, 'asset' | 'company' | 'month'> {
  places: string[]
  days: string[]
}

/** Returns the month with its rows if they change it, and counts the rows in the figures. */
function mergeMonth(
  { asset, company, month, rows, ...stored }: Month,
  figures: MergedFigures,
): MergedMonth | undefined {
  const places = stored.places ?? []
  const indexes = new Map(places.map((place, i) => [place, i]))
  const days = stored.days?.split(',') ?? new Array<string>(MAX_DAYS).fill('')
  let isChanged = false
  for (let first = 0, next = 0; first < rows.length; first = next) {
    const [day] = rows[first] as Month['rows'][number]
    const counts = unpackOrigins(days[day - 1] as string)
    const changes = figures.stored + figures.erased
    for (; next < rows.length && rows[next]?.[0] === day; next++) {
      const [, place, impressions] = rows[next] as Month['rows'][number]
      const index = indexes.get(place) ?? places.length
      if ((counts.get(index) ?? null) === impressions) figures.unchanged++
      else if (impressions === null) {
        counts.delete(index)
        figures.erased++
      } else {
        if (index === places.length) indexes.set(place, places.push(place) - 1)
        counts.set(index, impressions)
        figures.stored++
      }
    }
    if (figures.stored + figures.erased === changes) continue
    days[day - 1] = counts.size > 0 ? packOrigins(counts) : ''
    isChanged = true
  }
  return isChanged ? { asset, company, month, places, days } : undefined
}

/** The number of days that a month has place for. */
const MAX_DAYS = 31

async function storeMonths(client: ClientBase, months: readonly MergedMonth[]): Promise<void> {
  const isFilled = ({ days }: MergedMonth) => days.some(day => day !== '')
  const filled = months.filter(isFilled)
  const empty = months.filter(month => !isFilled(month))
  if (filled.length > 0) {
    await client.query(
      `INSERT INTO origin_months (asset, company, month, places, days)
       SELECT asset, company, month, places, string_to_array(days, ',', '')::bytea[]
       FROM unnest($1::integer[], $2::integer[], $3::date[], $4::json[], $5::text[]) AS m (asset, company, month, places, days)
       ON CONFLICT (asset, month) DO UPDATE SET places = excluded.places, days = excluded.days`,
      [
        filled.map(({ asset }) => asset),
        filled.map(({ company }) => company),
        filled.map(({ month }) => month),
        filled.map(({ places }) => JSON.stringify(places)),
        filled.map(({ days }) => days.join(',')),
      ],
    )
  }
  if (empty.length > 0) {
    await client.query(
      'DELETE FROM origin_months m USING unnest($1::integer[], $2::date[]) AS e (asset, month) WHERE (m.asset, m.month) = (e.asset, e.month)',
      [empty.map(({ asset }) => asset), empty.map(({ month }) => month)],
    )
  }
}
