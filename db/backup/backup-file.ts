/** A file of an export: gzip CSV with a header. */
import type { ClientBase } from 'pg'

export interface BackupFile {
  /** Without its extension. */
  name: string
  /** The table whose rows it has. */
  table: string
  /** The header. */
  columns: string[]
  /** The columns of the table that are stored again, or that follow from others. */
  tableColumns: string[]
  /** Whether a new database has no rows of the table. */
  isEmptyAtFirst: boolean
  /**
   * Reads all rows as CSV without the header, in an order that is the same in every database with the same data.
   * Returns their number.
   */
  read(client: ClientBase): AsyncGenerator<Buffer, number>
  /** Prepares to store rows. */
  open(client: ClientBase): Promise<RowStore>
}

interface RowStore {
  /** Stores whole records of the file, and returns their number. */
  store(records: Buffer): Promise<number>
  finish(): Promise<void>
}

/** Returns the name of the file in the folder. */
export const fileName = ({ name }: Pick<BackupFile, 'name'>): string => `${name}.csv.gz`
