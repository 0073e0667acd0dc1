/** Compares the stored rows of a table with its definition, in parts that fit in memory. */
import type { ClientBase } from 'pg'
import { readBatches } from '../cursor'
import type { DerivedTable, Part } from './derived-tables'

/** A difference between what is stored and what it is derived from. */
export interface Difference {
  table: string
  /** The row, for people. */
  row: string
  column: string
  /** As text; null for null. */
  stored: string | null
  expected: string | null
  /** Whether the repair sets the expected value. */
  repairable: boolean
}

/** Receives each difference; the check goes on when its promise is fulfilled. */
export type OnDifference = (difference: Difference) => Promise<void>

/**
 * Returns the parts from a day on, or all. Stored rows before and after all facts, which are differences, belong to the first and
 * the last part.
 */
export async function readParts(client: ClientBase, since: string | undefined): Promise<Part[]> {
  const { rows } = await client.query<{ month: number; start: string; first: string; last: string }>(
    `WITH spans AS (
      SELECT coalesce($1, min(measured_from), current_date) AS first, max(measured_to) AS last FROM (
        SELECT measured_from, measured_to FROM defined_asset_versions
        UNION ALL
        SELECT min(date), max(date) FROM set_aside_days
        UNION ALL
        SELECT d.* FROM assets CROSS JOIN LATERAL (
          SELECT min(date), max(date) FROM demographic_days WHERE asset = number
          UNION ALL
          SELECT min(date), max(date) FROM origin_days WHERE asset = number) AS d
      ) AS s)
    SELECT month, month_start(month)::text AS start, greatest(month_start(month), $1)::text AS first, (month_start(month + 1) - 1)::text AS last
    FROM spans, generate_series(month_number(first), month_number(greatest(first, last))) AS month`,
    [since ?? null],
  )
  return rows.map(({ month, start, first, last }, i) => {
    const [isFirst, isLast] = [i === 0 && since === undefined, i === rows.length - 1]
    const months = [isFirst ? -MAX_MONTH : month, isLast ? MAX_MONTH : month]
    const days = (from: string) => `BETWEEN '${isFirst ? '-infinity' : from}' AND '${isLast ? 'infinity' : last}'`
    const stored = { month: `BETWEEN ${months.join(' AND ')}`, date: days(first), dayOfMonth: days(start) }
    return { month, first, last, stored }
  })
}

const MAX_MONTH = 2_147_483_647

/** Differences in memory at once. */
const BATCH = 200

interface ComparedRow {
  checked: number
  row: string
  stored: Record<string, unknown> | null
  expected: Record<string, unknown> | null
}

/** Returns the SQL of the stored and the defined rows, as a WITH clause, and of those that differ. */
function compare(derived: DerivedTable, part: Part): [string, string] {
  const { table, key, columns = '*', stored: rows = () => table, time, definition } = derived
  const stored = `SELECT ${columns} FROM ${rows(part)}${time ? ` WHERE ${time} ${part.stored[time]}` : ''}`
  return [
    `WITH stored AS MATERIALIZED (${stored}), defined AS MATERIALIZED (${definition(part)})`,
    `(TABLE stored EXCEPT ALL TABLE defined) AS s FULL JOIN (TABLE defined EXCEPT ALL TABLE stored) AS d USING (${key})`,
  ]
}

/** Reports the differences of a part, by column. Returns the number of stored rows. */
export async function compareTable(
  client: ClientBase,
  derived: DerivedTable,
  part: Part,
  onDifference: OnDifference,
): Promise<number> {
  const { table, row, key } = derived
  const [rows, different] = compare(derived, part)
  let checked = 0
  const compared = `${rows} SELECT checked, d.* FROM (SELECT count(*) AS checked FROM stored) AS c LEFT JOIN (
    SELECT ${key}, ${row} AS row, to_jsonb(s) AS stored, to_jsonb(d) AS expected FROM ${different}) AS d ON true ORDER BY ${key}`
  for await (const found of readBatches<ComparedRow>(client, compared, BATCH)) {
    checked = found[0]!.checked
    for (const { row, stored, expected } of found) {
      for (const column of Object.keys(stored ?? expected ?? {})) {
        const [before, after] = [stored, expected].map(values => toText(values?.[column])) as [Text, Text]
        if (before === after) continue
        await onDifference({
          table,
          row,
          column,
          stored: before,
          expected: after,
          repairable: derived.touch !== undefined,
        })
      }
    }
  }
  return checked
}

type Text = string | null

function toText(value: unknown): Text {
  if (value == null) return null
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** Touches the rows of a part that differ. */
export async function touchDifferent(client: ClientBase, derived: DerivedTable, part: Part): Promise<void> {
  const [rows, different] = compare(derived, part)
  const touch = derived.touch?.(`${rows} SELECT ${derived.key} FROM ${different}`, derived.definition(part))
  if (touch) await client.query(touch)
}
