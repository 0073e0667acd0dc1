/**
 * The version of what an asset's answers over a range are told from, and what a caller holds already. Who holds the present
 * version is told so before anything is read: the statements that can tell carry the comparison in themselves.
 */
import type { AssetReference } from './asset-references'
import { type Dates, monthNumber } from './calendar'
import { SCOPE } from './connection'

/** What a caller says it holds: a version of this very answer, or when the asset's data changed last (seconds since 1970). */
export interface Held {
  version: number | null
  changedSecond: number | null
}

export const NOTHING_HELD: Held = { version: null, changedSecond: null }

/** Both in microseconds since 1970. */
export interface DataVersion {
  /** When what the range is told from changed last. No two versions of it have the same. */
  version: number
  /** When any of the asset's data changed last. No two changes fall into one second. */
  changed: number
  /** Whether the caller holds it, so that nothing else was read. */
  held: boolean
}

/** What a row of an asset tells of it. */
export interface Changes {
  /** When what the range is told from changed, in no order; null where nobody asks. */
  changes: number[] | null
  changed: number | null
  held: boolean
}

/**
 * An asset in scope with these columns and those of `Changes`, found by parameter 1: a sub-query.
 *
 * @param first the parameter of the first of `heldValues`; the others follow it
 */
export const versioned = (columns: string, { asset }: AssetReference, first: number): string => `(
  SELECT *, coalesce($${first} >= ALL (changes) AND $${first} = ANY (changes) OR changed / 1000000 = $${first + 1}, false) AS held
  FROM (
    SELECT ${columns}, changed, recounted || months_changed[$${first + 2}:$${first + 3}] AS changes
    FROM assets WHERE ${asset('$1')} AND company = ANY (${SCOPE})
    OFFSET 0 -- or it would be worked out anew wherever it is named
  ) AS found
  OFFSET 0
)`

/** The values of its parameters, for a range of dates. */
export const heldValues = ({ version, changedSecond }: Held, [from, to]: Dates): unknown[] => [
  version,
  changedSecond,
  monthNumber(from),
  monthNumber(to),
]

/** The same where nobody asks. */
export const unversioned = (columns: string, { asset }: AssetReference): string => `(
  SELECT ${columns}, NULL::bigint AS changed, NULL::bigint[] AS changes, false AS held
  FROM assets WHERE ${asset('$1')} AND company = ANY (${SCOPE})
)`

/** The version that a row tells. */
export const versionOf = ({ changes, changed, held }: Changes): DataVersion => ({
  version: Math.max(0, ...(changes ?? [])),
  changed: changed ?? 0,
  held,
})
