/** Writes rows in a format, part by part. */

/** Rows by columns: values of each column, all equally long. */
export type Values = readonly (readonly unknown[])[]

export interface RowWriter {
  /** Precedes all rows. */
  begin(): string | Uint8Array
  /** Returns rows, or what can be written of those so far, in parts that take no longer than a turn. */
  write(values: Values): Iterable<string | Uint8Array>
  /** Follows all rows. */
  end(): string | Uint8Array
}
