/** The gaps of assets as the schema describes them: as objects, or written as JSON. */
import type { AssetGaps } from '../../db/queries/gaps/read-gaps'
import type { Gap as GapRow } from '../../schema/generated'
import { checkRows } from '../groups/aggregates'
import type { Gap } from '../series/gaps'
import { timestamp } from '../series/timestamps'
import { type Columns, RawJson } from './raw-json'

/** The most rows that are returned as objects. */
const MAX_ROWS = 1_000

/** The gaps of an asset. */
export class FoundGaps {
  constructor(
    readonly asset: AssetGaps,
    readonly gaps: readonly Gap[],
    private readonly days: number,
  ) {}

  /** As objects. REST writes them as JSON instead, and never reads this property. @throws ApiError RANGE_TOO_LARGE */
  get rows(): GapRow[] {
    checkRows(this.gaps.length, MAX_ROWS, this.days)
    return this.gaps.map(gap => describeGap(this.asset, gap))
  }
}

const describeGap = ({ id, rules }: AssetGaps, { sensorId, from, to, intervals, reason }: Gap): GapRow => ({
  assetId: id,
  sensorId,
  from: timestamp(rules, from),
  to: timestamp(rules, to),
  expected: intervals,
  missing: intervals,
  reason,
})

/** Rows of a piece. */
const PIECE = 2_000

/** The gaps of one or more assets as JSON. */
export class GapRows extends RawJson {
  /** @param keys of the rows, by field, in the order in which they are written */
  constructor(
    private readonly keys: ReadonlyMap<string, string>,
    private readonly found: readonly FoundGaps[],
  ) {
    super()
  }

  /** Returns the rows of several lists as one. */
  static join(lists: readonly GapRows[]): GapRows {
    return new GapRows(
      lists[0]?.keys ?? new Map(),
      lists.flatMap(({ found }) => found),
    )
  }

  *pieces(): Iterable<string> {
    let separator = '['
    for (const rows of this.parts()) {
      let text = ''
      for (const row of rows) {
        text += separator + JSON.stringify(row)
        separator = ','
      }
      yield text
    }
    yield separator === '[' ? '[]' : ']'
  }

  override *columns(paths: readonly (readonly string[])[]): Iterable<Columns> {
    for (const rows of this.parts()) yield paths.map(([key]) => rows.map(row => row[key!]))
  }

  private *parts(): Iterable<Record<string, unknown>[]> {
    const keys = [...this.keys] as [keyof GapRow, string][]
    let part: Record<string, unknown>[] = []
    for (const { asset, gaps } of this.found) {
      for (const gap of gaps) {
        const row = describeGap(asset, gap)
        part.push(Object.fromEntries(keys.map(([field, key]) => [key, row[field]])))
        if (part.length < PIECE) continue
        yield part
        part = []
      }
    }
    yield part
  }
}
