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
const PIECE = 500

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
    const keys = [...this.keys].map(([field, key]) => [field as keyof GapRow, `${JSON.stringify(key)}:`] as const)
    let separator = '['
    for (const rows of this.parts()) {
      let text = ''
      for (const row of rows) {
        text += `${separator}{${keys.map(([field, key]) => key + JSON.stringify(row[field])).join()}}`
        separator = ','
      }
      yield text
    }
    yield separator === '[' ? '[]' : ']'
  }

  override *columns(paths: readonly (readonly string[])[]): Iterable<Columns> {
    const fields = new Map([...this.keys].map(([field, key]) => [key, field as keyof GapRow]))
    for (const rows of this.parts()) yield paths.map(([key]) => rows.map(row => row[fields.get(key!)!]))
  }

  private *parts(): Iterable<GapRow[]> {
    let part: GapRow[] = []
    for (const { asset, gaps } of this.found) {
      for (const gap of gaps) {
        if (part.push(describeGap(asset, gap)) < PIECE) continue
        yield part
        part = []
      }
    }
    yield part
  }
}
