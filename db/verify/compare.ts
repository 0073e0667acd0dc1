/** Compares stored rows with what their definition says. */
import type { ClientBase } from 'pg'
import { readBatches } from '../cursor'
import type { Bounds, OnDifference } from './parts'

/** A table, or some of its columns, that the database derives from other rows. */
export interface DerivedTable {
  /** SQL of the name of a row, for people. */
  row: string
  /** The primary key. */
  key: string
  /** The way in which it is divided into parts. */
  by: 'assets' | 'companies' | 'nothing'
  /** SQL of the columns that are compared, as the definition has them; all by default. */
  columns?: string
  /** Returns the SQL of the condition that a stored row is in bounds. */
  stored(bounds: Bounds): string
  /** Returns the SQL of the rows in bounds by the definition. */
  definition(bounds: Bounds): string
  /** Returns the SQL that replaces the rows in bounds. */
  repair(bounds: Bounds): string
}

/** Differences in memory at once. */
const BATCH = 200

interface DifferentRow {
  row: string
  stored: Record<string, unknown> | null
  expected: Record<string, unknown> | null
}

/** Reports the differences of the rows in bounds, by column. Returns the number of stored rows. */
export async function compareTable(
  client: ClientBase,
  table: string,
  { row, key, columns = '*', stored, definition }: DerivedTable,
  bounds: Bounds,
  onDifference: OnDifference,
): Promise<number> {
  const selected = `(SELECT ${columns} FROM ${table} WHERE ${stored(bounds)})`
  const { rows } = await client.query<{ count: number }>(`SELECT count(*) AS count FROM ${selected} AS s`)
  const differences = `SELECT ${row} AS row, to_jsonb(s) AS stored, to_jsonb(d) AS expected
    FROM ${selected} AS s FULL JOIN (${definition(bounds)}) AS d USING (${key}) WHERE s IS DISTINCT FROM d ORDER BY ${key}`
  for await (const found of readBatches<DifferentRow>(client, differences, BATCH)) {
    for (const { row, stored, expected } of found) {
      for (const column of Object.keys(stored ?? expected ?? {})) {
        const [before, after] = [stored, expected].map(values => toText(values?.[column])) as [Text, Text]
        if (before === after) continue
        await onDifference({ table, row, column, stored: before, expected: after, repairable: true })
      }
    }
  }
  return rows[0]?.count ?? 0
}

type Text = string | null

function toText(value: unknown): Text {
  if (value == null) return null
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
