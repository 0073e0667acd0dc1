/** Subqueries that find assets in scope by id or legacy id, with the columns of their versions. */
import { type Dates, monthNumber } from '../calendar/local-days'
import { inScope } from '../postgres/scoped-reader'
import type { Precondition } from './data-versions'

/** A way to name assets. */
interface AssetReference {
  /** For the names of statements. */
  name: string
  /** Returns SQL: the condition that a row of assets has the reference in this text parameter. */
  condition(parameter: string): string
}

const BY_ID: AssetReference = { name: 'by-id', condition: parameter => `id = ${parameter}` }

/** An id, or a legacy id: a whole number without leading zeros in the range of integers. */
export const BY_ANY_ID: AssetReference = {
  name: 'by-any-id',
  condition: parameter => `(id = ${parameter} OR legacy_id = CASE
    WHEN ${parameter} ~ '^[1-9][0-9]{0,9}$' AND ${parameter}::bigint <= 2147483647 THEN ${parameter}::bigint END)`,
}

/** Any id of a list. */
export const AMONG_IDS: AssetReference = {
  name: 'among-ids',
  condition: parameter => `id = ANY (${parameter}::text[])`,
}

/** A subquery with the requested columns and those of `VersionColumns`. Parameter 1 is the reference. */
export interface AssetLookup {
  /** For the names of statements. */
  name: string
  sql: string
}

/** Returns a lookup by id that compares the version with a precondition. @param from SQL: the asset and its version `v` */
const versioned = (columns: string, from: string): AssetLookup => ({
  name: BY_ID.name,
  sql: `(
  SELECT *, coalesce($4 = version OR changed / 1000000 < $5, false) AS matches
  FROM (
    SELECT ${columns}, v.data_version AS changed, greatest(v.base_version, (
      SELECT max(c.number) FROM changes c WHERE c.company = v.company AND c.asset_id = v.asset_id AND c.kind <> 'removed'
        AND c.kind IN ('demographics', 'impressions', 'origins') AND c.month BETWEEN $6 AND $7)) AS version
    FROM ${from} AND ${inScope('v.company')}
    OFFSET 0 -- Otherwise PostgreSQL evaluates the expressions wherever they are named.
  ) AS found
  OFFSET 0
)`,
})

/** Finds an asset by id and compares its version with a precondition. Parameters 1 to 7 are `versionedValues`. */
export const findVersioned = (columns: string): AssetLookup =>
  versioned(columns, `assets a JOIN asset_versions v ON v.asset = a.number WHERE ${BY_ID.condition('$1')}`)

/** The same with the columns `id` and `number` only, for which the row of the asset is not read. */
export const FIND_VERSION = versioned('v.asset_id AS id, v.asset AS number', 'asset_versions v WHERE v.asset_id = $1')

/** Returns values for `findVersioned`; 2 and 3 are the range, as the statement needs it. */
export const versionedValues = (
  assetId: string,
  dates: Dates,
  { version, unchangedSince }: Precondition,
  range: readonly unknown[] = dates,
): unknown[] => [assetId, ...range, version, unchangedSince, ...dates.map(monthNumber)]

/** Finds assets without their versions. */
export const findUnversioned = (columns: string, { name, condition }: AssetReference): AssetLookup => ({
  name,
  sql: `(
  SELECT ${columns}, NULL::bigint AS changed, NULL::bigint AS version, false AS matches
  FROM assets WHERE ${condition('$1')} AND ${inScope('company')}
)`,
})
