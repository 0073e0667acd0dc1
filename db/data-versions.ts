/**
 * The version of what an asset's answers over a range are told from, and what a caller holds already. Who holds the present
 * version is told so before anything is read: the statements that can tell carry the comparison in themselves.
 */
import { type Dates, firstOfMonth, monthNumber } from './calendar'

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
 * @param first the parameter of the first of `heldValues`; the others follow it
 */
export const dataVersion = (asset: string, first: number): string => `(
  SELECT version, changed,
    coalesce(version = ANY ($${first}::bigint[]) OR changed / 1000000 = $${first + 1}::bigint, false) AS held
  FROM (
    SELECT max(at) FILTER (WHERE month < 'infinity') AS version, max(at) AS changed
    FROM (
      SELECT month, (extract(epoch FROM changed_at) * 1000000)::bigint AS at FROM asset_versions
      WHERE asset = ${asset} AND month = ANY ($${first + 2}::date[])
    ) AS touched
  ) AS newest
)`

/** The values of its parameters, for a range of dates. */
export const heldValues = ({ versions, changedSecond }: Held, dates: Dates): unknown[] => [
  versions,
  changedSecond,
  monthsOf(dates),
]

/** The months, by their first days, whose changes a range is told from, and what stands for every range and any change. */
function monthsOf([from, to]: Dates): string[] {
  const months = ['-infinity', 'infinity']
  const last = monthNumber(to)
  for (let month = monthNumber(from); month <= last; month++) months.push(firstOfMonth(month))
  return months
}

/** The same where nobody asks. */
export const UNVERSIONED = '(SELECT NULL::bigint AS version, NULL::bigint AS changed, false AS held)'
