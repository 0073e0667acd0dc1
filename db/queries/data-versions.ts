/**
 * The version of what an asset's answers over a range are told from, and what a caller holds already. Who holds the present
 * version is told so before anything is read: the statements that can tell carry the comparison in themselves.
 */

import { type Dates, monthNumber } from '../calendar/local-days'
import { COMPANY_SCOPE } from '../postgres/scoped-reader'
import { type AssetReference, BY_ID } from './asset-references'

/** What a caller says it holds: a version of this very answer, or when the asset's data changed last (seconds since 1970). */
export interface Precondition {
  version: number | null
  changedSecond: number | null
}

export const NO_PRECONDITION: Precondition = { version: null, changedSecond: null }

/** Both in microseconds since 1970. */
export interface DataVersion {
  /** When what the range is told from changed last. No two versions of it have the same. */
  version: number
  /** When any of the asset's data changed last. No two changes fall into one second. */
  changed: number
  /** Whether the caller holds it, so that nothing else was read. */
  matches: boolean
}

/** What a row of an asset tells of it. */
export interface Changes {
  /** When what the range is told from changed, in no order; null where nobody asks. */
  changes: number[] | null
  changed: number | null
  matches: boolean
}

/** Assets in scope, with some columns and those of `Changes`. */
export interface Found {
  /** For the names of statements. */
  name: string
  /** A sub-query, that names the assets by parameter 1. */
  assets: string
}

/** An asset by its id, over the range of parameters 2 and 3: those are `versionedValues`. */
export const versioned = (columns: string): Found => ({
  name: BY_ID.name,
  assets: `(
  SELECT *, coalesce($4 >= ALL (changes) AND $4 = ANY (changes) OR changed / 1000000 = $5, false) AS matches
  FROM (
    SELECT ${columns}, data_version AS changed, base_version || month_versions[$6:$7] AS changes
    FROM assets WHERE ${BY_ID.asset('$1')} AND company = ANY (${COMPANY_SCOPE})
    OFFSET 0 -- or it would be worked out anew wherever it is named
  ) AS found
  OFFSET 0
)`,
})

/** The values of the parameters 1 to 7. */
export const versionedValues = (assetId: string, dates: Dates, { version, changedSecond }: Precondition): unknown[] => [
  assetId,
  ...dates,
  version,
  changedSecond,
  ...dates.map(monthNumber),
]

/** The same where nobody asks. */
export const unversioned = (columns: string, { name, asset }: AssetReference): Found => ({
  name,
  assets: `(
  SELECT ${columns}, NULL::bigint AS changed, NULL::bigint[] AS changes, false AS matches
  FROM assets WHERE ${asset('$1')} AND company = ANY (${COMPANY_SCOPE})
)`,
})

/** The version that a row tells. */
export const versionOf = ({ changes, changed, matches }: Changes): DataVersion => ({
  version: Math.max(0, ...(changes ?? [])),
  changed: changed ?? 0,
  matches,
})
