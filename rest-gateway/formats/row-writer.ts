/** Writes rows in a format, part by part. */

/** Rows by columns: values of each column, all equally long. */
export type Values = readonly (readonly unknown[])[]

export interface RowWriter {
  /** Precedes all rows. */
  begin(): string | Uint8Array
  /** Rows, or what can be written of those so far. */
  write(values: Values): string | Uint8Array
  /** Follows all rows. */
  end(): string | Uint8Array
}
