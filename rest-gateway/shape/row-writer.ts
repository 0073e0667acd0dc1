/** Writes rows in a format, part by part. */
export interface RowWriter {
  /** Precedes all rows. */
  begin(): string | Uint8Array
  /** Returns rows, or what can be written of those so far. */
  write(rows: readonly object[]): Iterable<string | Uint8Array>
  /** Follows all rows. */
  end(): string | Uint8Array
}
