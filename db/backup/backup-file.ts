/** A file of an export: gzip CSV with a header. */
import type { ClientBase } from 'pg'

export interface BackupFile {
  /** Without its extension. */
  name: string
  /** The first format of an export that has it. */
  since: number
  /** The table whose rows it has. */
  table: string
  /** The header. */
  columns: string[]
  /** The first format of an export that has a column, by its name; that of the file by default. */
  added?: Record<string, number>
  /** The columns of the table that are stored again, or that follow from others. */
  tableColumns: string[]
  /** Whether a new database has no rows of the table. */
  isEmptyAtFirst: boolean
  /** SQL of all rows, in an order that is the same in every database with the same data. */
  select: string
  /** Returns a function that converts a row, with tabs between its values, to a line; without it, rows are CSV. */
  formatter?(client: ClientBase): Promise<(row: string) => string>
  /** Stores batches of whole records, and returns their number. @param columns of the batches; by default all */
  store(client: ClientBase, batches: AsyncIterable<Buffer>, columns?: string[]): Promise<number>
}

/** Returns the name of the file in the folder. */
export const fileName = ({ name }: Pick<BackupFile, 'name'>): string => `${name}.csv.gz`
