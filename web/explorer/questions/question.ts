/** A question that the explorer answers with one query. */
import type { Preset } from '../ranges'

export interface Question {
  /** In the address of the page. */
  id: string
  title: string
  text: string
  query: string
  fields: readonly Field[]
  show: Show
}

/** A field of the form, which sets variables of the query. */
export type Field =
  /** One asset or several, by name. */
  | { kind: 'asset' | 'assets'; variable: string }
  /** A place in which there are assets; without a value, all. */
  | { kind: 'country' | 'city'; variable: string }
  /** The variables `from` and `to`. */
  | { kind: 'range'; first: Preset }
  /** The variables `before` and `until`, a range that follows the one above. */
  | { kind: 'before' }
  /** A time, as a day that begins in UTC. */
  | { kind: 'since'; variable: string }
  /** One of the values of an enumeration, the first of them without a choice; their titles by value. */
  | { kind: 'choice'; variable: string; label: string; values: Readonly<Record<string, string>> }

/** What is shown of the response. */
export interface Show {
  kind: ChartKind
  /** The list, by the names of its fields; of several, the first that has rows. */
  rows: string | readonly string[]
  /** Names of columns: times of lines, categories of bars, columns of a heat map. */
  x?: string
  /** Numbers of lines and bars, rows of a heat map. */
  y?: string
  /** Series of lines and bars, numbers of a heat map. */
  color?: string
  /** The unit of the numbers. */
  unit?: string
  /** The answer if the list has no rows. */
  empty?: string
}

export type ChartKind = 'table' | 'line' | 'bars' | 'heat'

/** Returns the column with the numbers of a chart. */
export const measureOf = ({ kind, y, color }: Show): string => (kind === 'heat' ? color : y) ?? ''
