/** The place of a copy. Changes are stored together with the state, or not at all. */

import type { Row } from '../index'
import type { Days } from './days'
import type { TableName } from './tables'

/** The position of the copy and what it is a copy of, by name. */
export type State = Record<string, string>

/** Rows of a table: those of some assets, or of all if `ids` is null; of some days where they are given. */
export interface Part {
  ids: readonly string[] | null
  days?: Days | undefined
}

export interface Store {
  /** Empty for a new copy. */
  readState(): Promise<State>
  /** Removes parts of a table, and inserts rows. Between two commits, it is called once for a table and its days. */
  replace(table: TableName, removed: readonly Part[], rows: AsyncIterable<Row>): Promise<void>
  /** Returns the sum of the impressions of each asset. */
  sumImpressions(): Promise<Map<string, number>>
  /** Stores all changes since the last commit, together with the state. */
  commit(state: State): Promise<void>
  /** Leaves what was not committed behind. */
  close(): Promise<void>
}
