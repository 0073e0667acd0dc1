/** Compares the stored rows of a table with its definition, in parts that fit in memory. */
import type { ClientBase } from 'pg'
import { readBatches } from '../cursor'

/** The local days of a month that are checked. */
export interface Part {
  /** Months since year 0. */
  month: number
  first: string
  last: string
  /** SQL that follows a column: whether a stored row is in the part; `dayOfMonth` follows a date, and is of the whole month. */
  stored: { month: string; date: string; dayOfMonth: string }
}

export interface DerivedTable {
  table: string
  /** SQL of the name of a row, for people. */
  row: string
  /** The columns by which a stored row and a defined one are the same. */
  key: string
  /** SQL of the columns that are compared; all by default. */
  columns?: string
  /** Returns the SQL of the stored rows, where the table has them in another form. */
  stored?(part: Part): string
  /** The column of the key by which it is compared in parts; without one it is compared at once. */
  time?: 'month' | 'date'
  /** Whether rows of all days are read, so that a check from a date on leaves it out. */
  readsAllDays?: true
  definition(part: Part): string
  /**
   * Returns the SQL that mends the rows whose keys `different` selects. It leaves those of which the copy may be right and the
   * source damaged. Without it, a backup alone mends the table.
   */
  mend?(different: string, definition: string, part: Part): string
}

/** A difference between what is stored and what it is derived from. */
export interface Difference {
  table: string
  row: string
  column: string
  /** As text; null for null. */
  stored: string | null
  expected: string | null
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
        if (before !== after) await onDifference({ table, row, column, stored: before, expected: after })
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

/** Mends the rows of a part that differ, as far as something says how they were. Those that other rows contradict are left. */
export async function mendTable(client: ClientBase, derived: DerivedTable, part: Part): Promise<void> {
  const [rows, different] = compare(derived, part)
  const mend = derived.mend?.(`${rows} SELECT ${derived.key} FROM ${different}`, derived.definition(part), part)
  if (!mend) return
  await client.query('SAVEPOINT mend')
  try {
    await client.query(mend)
  } catch (error) {
    if (!String((error as { code?: string }).code).startsWith(INTEGRITY_CONSTRAINT_VIOLATION)) throw error
    await client.query('ROLLBACK TO mend')
  }
}

/** The class of SQLSTATE. */
const INTEGRITY_CONSTRAINT_VIOLATION = '23'
