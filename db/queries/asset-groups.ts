/** Reads the impressions of a group of assets, summed in the database. Days are local days of each asset; dates inclusive. */

import type { Dates } from '../calendar/local-days'
import { COMPANY_SCOPE, type ScopedReader, type Statement } from '../postgres/scoped-reader'
import { type AssetFilter, matching, valuesOf } from './asset-filters'

export interface Sum {
  impressions: number
  /** How many assets have data. */
  assetCount: number
}

const statement = (name: string, columns: string, rest = '', joins = ''): Statement => ({
  name: `group-${name}`,
  text: `
SELECT ${columns}, coalesce(sum(d.impressions), 0)::bigint AS impressions, count(DISTINCT d.asset)::integer AS "assetCount"
FROM assets a JOIN sensor_days d ON d.asset = a.number AND d.date BETWEEN $1 AND $2 ${joins}
WHERE a.company = ANY (${COMPANY_SCOPE}) AND d.company = ANY (${COMPANY_SCOPE})
  AND ${matching(3)}
${rest}`,
})

const TOTAL = statement('total', 'count(DISTINCT d.date)::integer AS "daysWithData"')

const BY_DATE = statement('by-date', 'd.date', 'GROUP BY d.date')

const BY_COMPANY = statement(
  'by-company',
  'c.id, c.name',
  'GROUP BY c.id, c.name ORDER BY impressions DESC, c.id',
  'JOIN companies c ON c.number = a.company',
)

const BY_REGION = statement(
  'by-region',
  'a.country, a.region',
  'GROUP BY a.country, a.region ORDER BY impressions DESC, a.country, a.region',
)

const LIMIT = `$${3 + valuesOf({}).length}`

const TOP = statement('top', 'a.id', `GROUP BY a.id ORDER BY impressions DESC, a.id LIMIT ${LIMIT}`)

export type Total = Sum & { daysWithData: number }

export async function readTotal(reader: ScopedReader, filter: AssetFilter, dates: Dates): Promise<Total> {
  const [total] = await reader.read<Total>(TOTAL, [...dates, ...valuesOf(filter)])
  return total as Total
}

/** By date, those with data, in no order. */
export const readByDate = (
  reader: ScopedReader,
  filter: AssetFilter,
  dates: Dates,
): Promise<(Sum & { date: string })[]> => reader.read(BY_DATE, [...dates, ...valuesOf(filter)])

/** By company, most impressions first. */
export const readByCompany = (
  reader: ScopedReader,
  filter: AssetFilter,
  dates: Dates,
): Promise<(Sum & { id: string; name: string })[]> => reader.read(BY_COMPANY, [...dates, ...valuesOf(filter)])

/** By the region in which the assets stand, most impressions first. */
export const readByRegion = (
  reader: ScopedReader,
  filter: AssetFilter,
  dates: Dates,
): Promise<(Sum & { country: string; region: string | null })[]> =>
  reader.read(BY_REGION, [...dates, ...valuesOf(filter)])

/** The assets with most impressions, by id. */
export const readTop = (
  reader: ScopedReader,
  filter: AssetFilter,
  dates: Dates,
  limit: number,
): Promise<(Sum & { id: string })[]> => reader.read(TOP, [...dates, ...valuesOf(filter), limit])
