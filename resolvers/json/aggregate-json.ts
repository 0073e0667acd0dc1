/** Writes the rows of aggregated impressions as JSON, with the columns by which they are grouped. */
import {
  type Aggregate,
  AggregateOfAssets,
  type AggregateOfGroups,
  checkRows,
  MAX_JSON_ROWS,
} from '../groups/aggregates'
import { coverageOf } from '../series/series'
import { type Columns, RawJson } from './raw-json'

/** The keys of columns, by field, in the order in which they are written. */
type Keys = ReadonlyMap<string, string>

/** A column of the rows, by the index of the row. */
interface Column {
  field: string
  value(row: number): unknown
  /** Returns the value as JSON. */
  json(row: number): string | number | null
}

/** Rows of a piece. */
const PIECE = 4_000

/** @throws ApiError RANGE_TOO_LARGE */
export function aggregateJson(aggregate: Aggregate, keys: Keys): RawJson {
  return aggregate instanceof AggregateOfAssets
    ? assetsJson(aggregate, keys)
    : groupsJson(aggregate as AggregateOfGroups, keys)
}

function assetsJson({ sums }: AggregateOfAssets, keys: Keys): RawJson {
  checkRows(sums.length, MAX_JSON_ROWS)
  const asset = (row: number) => sums[row]!
  return new AggregateRows(keys, sums.length, [
    // Ids are letters and digits.
    { field: 'assetId', value: row => asset(row).id, json: row => `"${asset(row).id}"` },
    numbers('impressions', row => asset(row).impressions),
    numbers('assetsWithData', row => Math.min(asset(row).daysWithData, 1)),
    numbers('daysWithData', row => asset(row).daysWithData),
    numbers('coverage', row => asset(row).coverage),
  ])
}

function groupsJson({ series: { starts, groups }, days }: AggregateOfGroups, keys: Keys): RawJson {
  checkRows(starts.length * groups.length, MAX_JSON_ROWS, days)
  const bucketOf = (row: number) => Math.floor(row / groups.length)
  const groupOf = (row: number) => row % groups.length
  const start = (row: number) => starts[bucketOf(row)]
  const attributes = Object.entries(groups[0]?.attributes ?? {}).map(([field], column) => {
    const values = groups.map(({ attributes }) => Object.values(attributes)[column])
    const texts = values.map(value => JSON.stringify(value))
    return { field, value: (row: number) => values[groupOf(row)], json: (row: number) => texts[groupOf(row)]! }
  })
  const group = (row: number) => groups[groupOf(row)]!
  const assets = (row: number) => group(row).assets[bucketOf(row)]!
  const impressions = (row: number) => (assets(row) > 0 ? group(row).sums[bucketOf(row)]! : null)
  return new AggregateRows(keys, starts.length * groups.length, [
    { field: 'start', value: start, json: row => `"${start(row)}"` },
    ...attributes,
    numbers('impressions', impressions),
    numbers('assetsWithData', assets),
    numbers('coverage', row => coverageOf(group(row), bucketOf(row))),
  ])
}

const numbers = (field: string, value: (row: number) => number | null): Column => ({ field, value, json: value })

class AggregateRows extends RawJson {
  private readonly fields: readonly (Column & { key: string })[]

  constructor(
    keys: Keys,
    private readonly length: number,
    columns: readonly Column[],
  ) {
    super()
    this.fields = [...keys].flatMap(([name, key]) => {
      const column = columns.find(({ field }) => field === name)
      return column ? { ...column, key } : []
    })
  }

  *pieces(): Iterable<string> {
    const fields = this.fields.map(({ key, json }, i) => ({ before: `${i === 0 ? ',{' : ','}"${key}":`, json }))
    for (const [from, to] of this.ranges()) {
      let text = ''
      for (let row = from; row < to; row++) {
        for (const { before, json } of fields) text += before + json(row)
        text += '}'
      }
      yield `${from === 0 ? '[' : ''}${from === 0 ? text.slice(1) : text}${to === this.length ? ']' : ''}`
    }
  }

  override *columns(paths: readonly (readonly string[])[]): Iterable<Columns> {
    const columns = paths.map(([name]) => this.fields.find(({ key }) => key === name))
    for (const [from, to] of this.ranges()) {
      yield columns.map(column => Array.from({ length: to - from }, (_, i) => column?.value(from + i)))
    }
  }

  /** Returns the rows of the pieces; an empty range of an empty list. */
  private *ranges(): Iterable<[from: number, to: number]> {
    let from = 0
    do {
      const to = Math.min(from + PIECE, this.length)
      yield [from, to]
      from = to
    } while (from < this.length)
  }
}
