/** Writes the rows of aggregated impressions as JSON, with the columns by which they are grouped. */
import {
  type Aggregate,
  AggregateOfAssets,
  type AggregateOfGroups,
  checkRows,
  MAX_JSON_ROWS,
} from '../groups/aggregates'
import { RawJson } from './raw-json'

/** The keys of columns, by field, in the order in which they are written. */
type Keys = ReadonlyMap<string, string>

/** Rows that are written to one buffer. */
const CHUNK = 5_000

/** @throws ApiError RANGE_TOO_LARGE */
export function aggregateJson(aggregate: Aggregate, keys: Keys): RawJson {
  return aggregate instanceof AggregateOfAssets
    ? assetsJson(aggregate, keys)
    : groupsJson(aggregate as AggregateOfGroups, keys)
}

function assetsJson({ sums }: AggregateOfAssets, keys: Keys): RawJson {
  checkRows(sums.length, MAX_JSON_ROWS)
  const row = rowWriter(keys, ['assetId'])
  const rows = new RowChunks()
  for (const { id, impressions } of sums) rows.add(row([JSON.stringify(id)], impressions, impressions === null ? 0 : 1))
  return rows.finish()
}

function groupsJson({ series: { starts, groups }, days }: AggregateOfGroups, keys: Keys): RawJson {
  checkRows(starts.length * groups.length, MAX_JSON_ROWS, days)
  const attributes = Object.keys(groups[0]?.attributes ?? {})
  const row = rowWriter(keys, ['start', ...attributes])
  const texts = groups.map(({ attributes }) => Object.values(attributes).map(value => JSON.stringify(value)))
  const rows = new RowChunks()
  for (const [bucket, start] of starts.entries()) {
    for (const [i, { sums, assets }] of groups.entries()) {
      const count = assets[bucket] as number
      rows.add(row([`"${start}"`, ...(texts[i] as string[])], count > 0 ? (sums[bucket] as number) : null, count))
    }
  }
  return rows.finish()
}

/** Writes a row, preceded by a comma, from the JSON of its first columns, its impressions and its assets with data. */
function rowWriter(keys: Keys, columns: readonly string[]) {
  const written = [...keys.keys()].filter(field => columns.includes(field))
  const before = written.map((field, i) => `${i === 0 ? ',{' : ','}"${keys.get(field)}":`)
  const impressionsKey = `,"${keys.get('impressions')}":`
  const assetsKey = `,"${keys.get('assetsWithData')}":`
  return (values: readonly string[], impressions: number | null, assets: number): string => {
    let text = ''
    for (let i = 0; i < before.length; i++) text += (before[i] as string) + values[i]
    return `${text}${impressionsKey}${impressions}${assetsKey}${assets}}`
  }
}

class RowChunks {
  private readonly chunks: Buffer[] = []
  private text = ''
  private rows = 0

  add(row: string): void {
    this.text += row
    if (++this.rows % CHUNK === 0) this.flush()
  }

  finish(): RawJson {
    this.flush()
    return RawJson.arrayOf(this.chunks)
  }

  private flush(): void {
    if (this.text !== '') this.chunks.push(Buffer.from(this.text))
    this.text = ''
  }
}
