/** The place of a copy. Changes are stored together with the state, or not at all. */
import type { TableName, Value } from './tables'

/** The position of the copy and what it is a copy of, by name. */
export type State = Record<string, string>

export type Row = Readonly<Record<string, Value>>

/** First and last local day, inclusive. */
export type Days = readonly [from: string, to: string]

export interface Store {
  /** Empty for a new copy. */
  readState(): Promise<State>
  /** Removes rows of assets, or of all if `ids` is null; of some days where they are given. */
  remove(table: TableName, ids: readonly string[] | null, days?: Days): Promise<void>
  insert(table: TableName, rows: readonly Row[]): Promise<void>
  /** Returns the sum of the impressions of each asset. */
  sumImpressions(): Promise<Map<string, number>>
  /** Stores all changes since the last commit, together with the state. */
  commit(state: State): Promise<void>
  /** Leaves what was not committed behind. */
  close(): Promise<void>
}
