/**
 * Rows as bytes, with room around them for what will embrace them in the answer: written into it, that makes no second copy
 * of a hundred kilobytes, of which the garbage would have to be collected too.
 */

/** How many bytes are free in front of the rows, and behind them. */
const ROOM = 512

export class RoomyRows {
  private constructor(
    private readonly whole: Buffer,
    private readonly from: number,
    private readonly to: number,
  ) {}

  /** @param rows each begins with a comma, which the first of them leaves away; they are copied */
  static of(rows: readonly Uint8Array[]): RoomyRows {
    let length = 0
    for (const row of rows) length += row.length
    const whole = Buffer.allocUnsafe(ROOM + length + ROOM)
    let at = ROOM
    for (const row of rows) {
      whole.set(row, at)
      at += row.length
    }
    return new RoomyRows(whole, length > 0 ? ROOM + 1 : ROOM, at)
  }

  /** The rows between two texts. */
  between(head: string, tail: string): Buffer {
    const { whole, from, to } = this
    const start = from - Buffer.byteLength(head)
    const end = to + Buffer.byteLength(tail)
    if (start < 0 || end > whole.length) {
      return Buffer.concat([Buffer.from(head), whole.subarray(from, to), Buffer.from(tail)])
    }
    whole.write(head, start)
    whole.write(tail, to)
    return whole.subarray(start, end)
  }
}
