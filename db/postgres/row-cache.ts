/**
 * What is made of rows, kept by the very bytes in which they come: the same row comes to the same, whoever reads it, so that
 * nothing that is kept can be out of date or another's.
 */
import { LRUCache } from 'lru-cache'
import type { DecodeRow } from './row-decoder'

/** Of the rows by which it is kept; what is made of them takes a few times as much. */
const MOST_BYTES = 4_000_000

/** Takes rows as they come. */
export interface RowMapper<Made> {
  /** What the row comes to that stands there. */
  of(read: DecodeRow, bytes: Buffer, at: number, end: number): Made
}

/** For statements whose rows are of one shape. */
export class RowCache<Row, Made extends object> implements RowMapper<Made> {
  private readonly kept = new LRUCache<string, Made>({ maxSize: MOST_BYTES, sizeCalculation: (_, row) => row.length })

  constructor(private readonly make: (row: Row) => Made) {}

  of(read: DecodeRow, bytes: Buffer, at: number, end: number): Made {
    const row = bytes.toString('latin1', at, end)
    const known = this.kept.get(row)
    if (known) return known
    const made = this.make(read(bytes, at, end) as Row)
    this.kept.set(row, made)
    return made
  }
}
