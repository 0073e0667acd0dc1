/**
 * Counts the assets that have counts in a range, by bucket and by attributes of the assets. The assets with counts on a day
 * are stored as bitmaps, which are united over the days of a bucket and intersected with the assets of a group.
 */
import type { Knex } from 'knex'
import type { GroupGrain } from '../../../schema/generated'
import { GROUPS, type Group, type GroupBy } from '../../assets/attributes'
import { GRAINS } from '../../calendar/grains'
import type { Dates } from '../../calendar/local-days'
import { DAYS } from '../../calendar/month-ranges'
import { inScope, type ScopedReader } from '../../postgres/scoped-reader'
import {
  formerDays,
  type MomentParameters,
  momentParameters,
  ofMoment,
  unsettledMonths,
  wasServed,
  withUnsettled,
} from '../as-of/days-then'
import type { NetworkMoment } from '../as-of/moment'
import { type AssetFilter, chooseSource, whereMatches } from '../asset-filters'
import { type BuiltStatement, buildOnce, knex, parameter } from '../statements'

/** Returns the SQL of the first day of a bucket; null where the range is one bucket. */
const firstDayOf = (bucket: BucketOfAssets): string =>
  bucket === 'range' ? 'NULL::date' : GRAINS[bucket].firstDay('d.date')

type BucketOfAssets = GroupGrain | 'range'

type AssetsWithCounts = Group & {
  /** The first day of the bucket, which may be before the range; null where the range is one bucket. */
  bucket: string | null
  /** The number of assets with counts. */
  assets: number
  /** The number of assets that match the filter, in each row; undefined without a filter and groups. */
  matching?: number
  /** The assets of the group, where the range is one bucket. */
  ofGroup?: number
}

type Parameters = AssetFilter & { from: string; to: string } & Partial<MomentParameters>

/** Kinds of facts whose assets are stored as bitmaps. */
type Measured = 'impressions' | 'demographics'

/** Assets of a row of bitmaps. */
const BLOCK = 2048

const NONE = `B'0'::bit(${BLOCK})`

const bitOf = (asset: string): string => `set_bit(${NONE}, ${asset} % ${BLOCK}, 1)`

/** SQL: the bitmaps of days as they were at an instant: as they are now, without assets whose day is another one since, and with those that had it. */
const ASSETS_THEN = `
SELECT 'impressions' AS kind, company, block, date, coalesce(bit_or(now), ${NONE}) & ~coalesce(bit_or(changed), ${NONE})
  | coalesce(bit_or(former), ${NONE}) AS assets
FROM (
  SELECT company, block, date, assets AS now, NULL::bit(${BLOCK}) AS changed, NULL::bit(${BLOCK}) AS former FROM measured_assets
  WHERE kind = 'impressions' AND ${inScope('company')} AND date BETWEEN :from AND :to
  UNION ALL
  SELECT company, block, month_start(month) + generate_series(0, 30), NULL, unnest(changed), NULL
  FROM (
    SELECT company, asset / ${BLOCK} AS block, month, ARRAY[${DAYS.map(day => `bit_or(bit) FILTER (WHERE NOT (${wasServed(day)}))`)}] AS changed
    FROM (SELECT *, ${bitOf('asset')} AS bit FROM ${unsettledMonths()} AS m OFFSET 0) AS m GROUP BY 1, 2, 3
  ) AS months
  UNION ALL
  SELECT company, asset / ${BLOCK}, date, NULL, NULL, ${bitOf('asset')} FROM ${formerDays()} AS f
) AS d GROUP BY company, block, date`

/** The assets with counts in each bucket, by block. */
const unitedBlocks = (
  bucket: BucketOfAssets,
  kind: Measured = 'impressions',
  table = 'measured_assets',
): Knex.QueryBuilder =>
  knex
    .from(`${table} as d`)
    .select('d.company', 'd.block', knex.raw(`${firstDayOf(bucket)} AS bucket`), knex.raw('bit_or(d.assets) AS assets'))
    .whereRaw(`d.kind = '${kind}' AND ${inScope('d.company')}`)
    .whereRaw('d.date BETWEEN :from AND :to', { from: parameter('from'), to: parameter('to') })
    .groupByRaw('1, 2, 3')

/** Returns the assets of each group, by block. */
function groupBlocks(isFiltered: boolean, by: GroupBy | undefined): Knex.QueryBuilder {
  const columns = { ...(by && GROUPS[by]) }
  const query = knex
    .from('assets as a')
    .select({ ...columns, company: 'a.company' })
    .select(knex.raw(`a.number / ${BLOCK} AS block, bit_or(${bitOf('a.number')}) AS assets`))
    .whereRaw(inScope('a.company'))
    .groupByRaw([...Object.values(columns), 'a.company', `a.number / ${BLOCK}`].join(', '))
  if (isFiltered) query.modify(whereMatches)
  if (by === 'company') query.join('companies as c', 'c.number', 'a.company')
  return query
}

/** Counts the assets that match a filter, if it is one, and have data in the range. */
export function countAssets(kind: Measured, isFiltered: boolean): Knex.QueryBuilder {
  const blocks = unitedBlocks('range', kind).as('b')
  if (!isFiltered) return knex.from(blocks).select(knex.raw('coalesce(sum(bit_count(b.assets)), 0)::integer'))
  return knex
    .from(blocks)
    .join(groupBlocks(true, undefined).as('g'), { 'g.company': 'b.company', 'g.block': 'b.block' })
    .select(knex.raw('coalesce(sum(bit_count(b.assets & g.assets)), 0)::integer'))
}

function prepareStatement(
  bucket: BucketOfAssets,
  isFiltered: boolean,
  by: GroupBy | undefined,
  isThen: boolean,
  kind: Measured,
): BuiltStatement<Parameters> {
  const of = kind === 'impressions' ? 'counts' : kind
  const name = `assets-with-${of}-by-${bucket}${isFiltered ? '-filtered' : ''}${by ? `-by-${by}` : ''}${isThen ? '-then' : ''}`
  return buildOnce(name, () => selectAssets(bucket, isFiltered, by, isThen, kind))
}

function selectAssets(
  bucket: BucketOfAssets,
  isFiltered: boolean,
  by: GroupBy | undefined,
  isThen: boolean,
  kind: Measured,
): Knex.QueryBuilder {
  const query = knex.queryBuilder()
  if (isThen) {
    withUnsettled(query).with('assets_then', ofMoment(ASSETS_THEN))
  }
  // Materialized, because a plan that expects few groups would read the bitmaps again for each.
  query.withMaterialized('buckets', unitedBlocks(bucket, kind, isThen ? 'assets_then' : 'measured_assets'))
  if (!by && !isFiltered) {
    query.from('buckets').select('bucket', knex.raw('sum(bit_count(assets))::integer AS assets')).groupBy('bucket')
  } else {
    const columns = Object.keys(by ? GROUPS[by] : {}).map(column => `g.${column}`)
    query
      .withMaterialized('groups', groupBlocks(isFiltered, by))
      .from('groups as g')
      .joinRaw('LEFT JOIN buckets AS b ON b.company = g.company AND b.block = g.block')
      .select(...columns, 'b.bucket')
      .select(knex.raw('coalesce(sum(bit_count(b.assets & g.assets)), 0)::integer AS assets'))
      .select(knex.raw('(SELECT sum(bit_count(assets))::integer FROM groups) AS matching'))
      .groupBy(...columns, 'b.bucket')
    if (bucket === 'range') query.select(knex.raw('sum(bit_count(g.assets))::integer AS "ofGroup"'))
  }
  return query
}

/**
 * The assets with counts of each bucket, and of each group that has assets. A row with 0 assets may be missing, but each group
 * has at least one row.
 *
 * @param moment when it was so; then the range ends with the days that were over
 * @param kind the facts that are counts, in a range that does not end then
 */
export function readAssetsWithCounts(
  reader: ScopedReader,
  filter: AssetFilter,
  dates: Dates,
  bucket: BucketOfAssets,
  by?: GroupBy,
  moment?: NetworkMoment,
  kind: Measured = 'impressions',
): Promise<AssetsWithCounts[]> {
  const statement = prepareStatement(bucket, chooseSource(filter) !== 'all', by, moment !== undefined, kind)
  const [from, to] = dates
  return reader.read(statement, statement.bindValues({ ...filter, from, to, ...(moment && momentParameters(moment)) }))
}
