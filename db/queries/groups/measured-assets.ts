/**
 * Counts the assets that have counts in a range, by bucket and by attributes of the assets. The assets with counts on a day
 * are stored as bitmaps, which are united over the days of a bucket and intersected with the assets of a group.
 */
import type { GroupGrain } from '../../../schema/generated'
import { GROUPS, type Group, type GroupBy } from '../../assets/attributes'
import { GRAINS } from '../../calendar/grains'
import type { Dates } from '../../calendar/local-days'
import { DAYS } from '../../calendar/month-ranges'
import { inScope, type ScopedReader } from '../../postgres/scoped-reader'
import type { NetworkMoment } from '../as-of'
import { formerDays, momentParameters, unsettledMonths, wasServed } from '../as-of'
import { type AssetFilter, hasConditions, MATCHES } from '../asset-filters'
import { named, readRows } from '../statements'

/** Returns the SQL of the first day of a bucket; null where the range is one bucket. */
const firstDayOf = (bucket: BucketOfAssets): string =>
  bucket === 'range' ? 'NULL::date' : GRAINS[bucket].firstDay('d.date')

type BucketOfAssets = GroupGrain | 'range'

type AssetsWithCounts = Group & {
  /** The first day of the bucket, which may be before the range; null for a group without counts. */
  bucket: string | null
  assets: number
}

/** Kinds of facts whose assets are stored as bitmaps. */
type Measured = 'impressions' | 'demographics'

/** Assets of a row of bitmaps. */
const BLOCK = 2048

const NONE = `B'0'::bit(${BLOCK})`

/** Integers of a block, and the bit of an asset in one of them: the first asset has the highest. */
const WORDS = BLOCK / 32

const BIT_OF_WORD = '1 << 31 - asset % 32'

const bitOf = (asset: string): string => `set_bit(${NONE}, ${asset} % ${BLOCK}, 1)`

/** Returns the SQL of a bitmap of blocks, from integers that are words of it. Setting bits one by one takes three times as long. */
const uniteWords = (bits: string): string =>
  `coalesce(bit_or(${bits}::bit(32)::bit(${BLOCK}) >> word % ${WORDS} * 32), ${NONE})`

/** SQL: the bitmaps of days as they were at an instant: without the assets whose day was not what it is now, and with those that had another one. */
const ASSETS_THEN = `
SELECT 'impressions' AS kind, company, block, date, bit_or(now) & ~bit_or(gone) | bit_or(former) AS assets
FROM (
  SELECT company, block, date, assets AS now, ${NONE} AS gone, ${NONE} AS former FROM measured_assets
  WHERE kind = 'impressions' AND ${inScope('company')} AND date BETWEEN :from AND :to
  UNION ALL
  SELECT company, word / ${WORDS}, date, ${NONE}, ${uniteWords('gone')}, ${uniteWords('former')}
  FROM (
    SELECT company, word, month_start(month) + day - 1 AS date, gone[day] AS gone, NULL::integer AS former
    FROM (
      SELECT company, asset / 32 AS word, month, ARRAY[${DAYS.map(day => `bit_or(bit) FILTER (WHERE NOT ${wasServed(day)})`)}] AS gone
      FROM (SELECT company, asset, month, served, ${BIT_OF_WORD} AS bit FROM ${unsettledMonths()} AS m) AS m GROUP BY 1, 2, 3
    ) AS months CROSS JOIN generate_series(1, month_start(month + 1) - month_start(month)) AS day WHERE gone[day] IS NOT NULL
    UNION ALL
    SELECT company, asset / 32, date, NULL, ${BIT_OF_WORD} FROM ${formerDays()} AS f
  ) AS words GROUP BY 1, 2, 3
) AS d GROUP BY company, block, date`

/** Returns the SQL of the assets with counts in each bucket, by block. */
const unitedBlocks = (bucket: BucketOfAssets, kind: Measured, table = 'measured_assets'): string =>
  `SELECT d.company, d.block, ${firstDayOf(bucket)} AS bucket, bit_or(d.assets) AS assets FROM ${table} d
   WHERE d.kind = '${kind}' AND ${inScope('d.company')} AND d.date BETWEEN :from AND :to GROUP BY 1, 2, 3`

/** Returns the SQL of the assets of each group, by block. */
function groupBlocks(isFiltered: boolean, by: GroupBy | undefined): string {
  const columns = { ...(by && GROUPS[by]), company: 'a.company', block: `a.number / ${BLOCK}` }
  return `SELECT ${named(columns)}, bit_or(${bitOf('a.number')}) AS assets
    FROM assets a WHERE ${inScope('a.company')} ${isFiltered ? `AND ${MATCHES}` : ''} GROUP BY ${Object.values(columns)}`
}

const COUNT = 'coalesce(sum(bit_count(b.assets & g.assets)), 0)::integer'

const JOIN_BLOCKS = 'b.company = g.company AND b.block = g.block'

/** Returns the SQL that counts the assets that match a filter, if it is one, and have data in the range. */
export function countMeasured(kind: Measured, isFiltered: boolean): string {
  const blocks = `(${unitedBlocks('range', kind)}) AS b`
  return isFiltered
    ? `SELECT ${COUNT} FROM ${blocks} JOIN (${groupBlocks(true, undefined)}) AS g ON ${JOIN_BLOCKS}`
    : `SELECT coalesce(sum(bit_count(b.assets)), 0)::integer FROM ${blocks}`
}

function selectAssets(bucket: GroupGrain, isFiltered: boolean, by: GroupBy | undefined, isThen: boolean): string {
  const blocks = unitedBlocks(bucket, 'impressions', isThen ? 'assets_then' : 'measured_assets')
  // Materialized, because a plan that expects few groups would read the bitmaps again for each.
  const buckets = `WITH ${isThen ? `assets_then AS (${ASSETS_THEN}),` : ''} buckets AS MATERIALIZED (${blocks})`
  if (!by && !isFiltered) {
    return `${buckets} SELECT bucket, coalesce(sum(bit_count(assets)), 0)::integer AS assets FROM buckets GROUP BY bucket`
  }
  const columns = [...Object.keys(by ? GROUPS[by] : {}).map(column => `g."${column}"`), 'b.bucket']
  return `${buckets}, groups AS MATERIALIZED (${groupBlocks(isFiltered, by)})
    SELECT ${columns}, ${COUNT} AS assets FROM groups g JOIN buckets b ON ${JOIN_BLOCKS} GROUP BY ${columns}`
}

/**
 * The assets with counts of each bucket, and of each group. A row with 0 assets may be missing.
 *
 * @param moment when it was so; then the range ends with the days that were over
 */
export function readAssetsWithCounts(
  reader: ScopedReader,
  filter: AssetFilter,
  dates: Dates,
  bucket: GroupGrain,
  by?: GroupBy,
  moment?: NetworkMoment,
): Promise<AssetsWithCounts[]> {
  const [isFiltered, isFormer] = [hasConditions(filter), moment !== undefined]
  const name = `assets-with-counts-by-${bucket}${isFiltered ? '-filtered' : ''}${by ? `-by-${by}` : ''}${isFormer ? '-as-of' : ''}`
  const sql = () => selectAssets(bucket, isFiltered, by, isFormer)
  const [from, to] = dates
  return readRows(reader, name, sql, { ...filter, from, to, ...(moment && momentParameters(moment)) })
}
