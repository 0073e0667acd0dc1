/** What a kind of import does with the rows of a file. */
import type { Merged } from './counts/merge'

export interface RowSink {
  /** Takes a row; gives the reason why it is faulty, if it is. `values` stand in the order of the columns. */
  take(values: readonly string[], line: number): string | undefined
  /** Makes room when that is needed; called after every piece of the file. */
  settle(): Promise<void>
  /** Looks at all rows together and at what is stored, and reports rows that are faulty. */
  check(): Promise<void>
  /** Stores what was found good; tells what it comes to. */
  store(): Promise<Merged>
}
