/**
 * The version of what an asset's answers over a range are told from, and what a caller holds already. Who holds the present
 * version is told so before anything is read: the statements that can tell carry the comparison in themselves.
 */

/** What a caller says it holds: versions of this very answer, or when the asset's data changed last (seconds since 1970). */
export interface Held {
  versions: readonly number[]
  changedSecond: number | null
}

export const NOTHING_HELD: Held = { versions: [], changedSecond: null }

/** Both in microseconds since 1970. */
export interface DataVersion {
  /** When what the range is told from changed last. No two versions of it have the same. */
  version: number
  /** When any of the asset's data changed last. No two changes fall into one second. */
  changed: number
  /** Whether the caller holds it, so that nothing else was read. */
  held: boolean
}

/**
 * The columns version, changed and held, of an asset's number over a range: a lateral sub-query.
 *
 * @param first the parameter of the first date; the last date and the two of `heldValues` follow it
 */
export const dataVersion = (asset: string, first: number): string => `(
  SELECT version, changed,
    coalesce(version = ANY ($${first + 2}::bigint[]) OR changed / 1000000 = $${first + 3}::bigint, false) AS held
  FROM (
    SELECT max(at) FILTER (WHERE month < 'infinity') AS version, max(at) AS changed
    FROM (
      SELECT month, (extract(epoch FROM changed_at) * 1000000)::bigint AS at FROM asset_versions
      WHERE asset = ${asset} AND (month IN ('-infinity', 'infinity')
        OR month BETWEEN date_trunc('month', $${first}::date) AND $${first + 1}::date)
    ) AS touched
  ) AS newest
)`

/** The values of the two parameters behind the dates. */
export const heldValues = ({ versions, changedSecond }: Held): unknown[] => [versions, changedSecond]

/** The same where nobody asks. */
export const UNVERSIONED = '(SELECT NULL::bigint AS version, NULL::bigint AS changed, false AS held)'
