/**
 * Pages of lists: one row more than asked for is read, to know whether more follow. Whoever asks freely gets objects; a fixed
 * query gets the bytes of its rows, which are written when a row is first met and copied as long as it stays as it is.
 */
import { RowCache } from '../../db/postgres/row-cache'
import { ApiError } from '../../schema/errors'
import type { Context } from '../context'
import { RoomyRows } from '../series/raw-json'

/** How many rows a page may have. */
export const MAX_PAGE_SIZE = 500

/** @throws ApiError INVALID_PARAMETER */
export function checkLimit(limit: number): void {
  if (limit >= 1 && limit <= MAX_PAGE_SIZE) return
  const details = { parameter: 'limit', value: String(limit), expected: `a whole number from 1 to ${MAX_PAGE_SIZE}` }
  throw new ApiError('INVALID_PARAMETER', details, `limit must be ${details.expected}.`)
}

/** What is told of a row at an instant (milliseconds since 1970). */
export interface Telling<Row, Node extends object = object> {
  node(row: Row, now: number): Node
  /** Where it depends on the instant: a row is told the same at all instants of one phase. */
  phase?(row: Row, now: number): string
}

/** How a fixed query wants the rows of its one list. */
export class PageForm {
  private pieces: unknown

  /** @param write the JSON of a node, as the query selects it */
  constructor(private readonly write: (node: object) => string) {}

  /** The pieces that are kept; their telling is always that of the query's list. */
  kept<Row extends { id: string }>(telling: Telling<Row>): RowCache<Row, Piece<Row>> {
    this.pieces ??= new RowCache((row: Row) => new Piece(row, telling, this.write))
    return this.pieces as RowCache<Row, Piece<Row>>
  }
}

/** The bytes of a row, with a comma in front. */
class Piece<Row extends { id: string }> {
  readonly id: string
  private readonly written = new Map<string, Buffer>()

  constructor(
    private readonly row: Row,
    private readonly telling: Telling<Row>,
    private readonly write: (node: object) => string,
  ) {
    this.id = row.id
  }

  bytesAt(now: number): Buffer {
    const phase = this.telling.phase?.(this.row, now) ?? ''
    const known = this.written.get(phase)
    if (known) return known
    const bytes = Buffer.from(`,${this.write(this.telling.node(this.row, now))}`)
    this.written.set(phase, bytes)
    return bytes
  }
}

type Read<Row> = <Made extends { id: string } = Row & { id: string }>(
  rows: number,
  kept?: RowCache<Row, Made>,
) => Promise<Made[]>

/** @throws ApiError INVALID_PARAMETER for a limit that no page has */
export async function pageOf<Row extends { id: string }, Node extends object>(
  context: Context,
  limit: number,
  telling: Telling<Row, Node>,
  read: Read<Row>,
): Promise<{ nodes: Node[]; hasMore: boolean; last: string | null }> {
  checkLimit(limit)
  const form = context.rowForm?.page
  if (!form) {
    const rows = await read(limit + 1)
    const page = rows.slice(0, limit)
    const nodes = page.map(row => telling.node(row, context.now))
    return { nodes, hasMore: rows.length > limit, last: page.at(-1)?.id ?? null }
  }
  const pieces = await read(limit + 1, form.kept(telling))
  const page = pieces.slice(0, limit)
  context.rowBytes = RoomyRows.of(page.map(piece => piece.bytesAt(context.now)))
  return { nodes: [], hasMore: pieces.length > limit, last: page.at(-1)?.id ?? null }
}
