/**
 * Writes the rows of a series as JSON. On most days the rows differ only in their time and numbers: the bytes of a row are
 * prepared once per day, and the others are copies with another time.
 */
import type { Day } from '../../db/calendar/local-days'
import { type Label, labelsOfDay, listLabels } from '../series/labels'
import { coverageOf, impressionsOf, type Series } from '../series/series'
import { CLOCK, offsetText } from '../series/timestamps'
import { JsonWriter, Template } from './json-writer'
import { arrayOf, type Columns, RawJson } from './raw-json'

/** The keys of a row's columns; `coverage` is left out where it is undefined. */
export interface RowKeys {
  label: string
  impressions: string
  coverage: string | undefined
}

/** The longest impressions and coverage, and the longest label, in bytes. */
const MAX_VALUES_LENGTH = 40
const MAX_LABEL_LENGTH = 25

/** The rows of a series, which are written when they are sent. The longest has 10,080 of them: one piece. */
export class SeriesRows extends RawJson {
  constructor(
    private readonly series: Series,
    private readonly label: Label,
    private readonly keys: RowKeys,
  ) {
    super()
  }

  pieces() {
    return [seriesJson(this.series, this.label, this.keys)]
  }

  override columns(paths: readonly (readonly string[])[]): [Columns] {
    const { series, label, keys } = this
    const columns = paths.map(([key]) => {
      if (key === keys.label) return listLabels(series, label)
      const values: unknown[] = []
      for (let i = 0; i < series.sums.length; i++) {
        values.push(key === keys.impressions ? impressionsOf(series, i) : coverageOf(series, i))
      }
      return values
    })
    return [columns]
  }
}

/** Returns the rows as a JSON array. Labels are dates and times, which need no escaping. */
export function seriesJson(series: Series, label: Label, keys: RowKeys): Uint8Array {
  const before = `,{${JSON.stringify(keys.label)}:"`
  const after = `",${JSON.stringify(keys.impressions)}:`
  const coverageKey = keys.coverage && `,${JSON.stringify(keys.coverage)}:`
  const rowLength = before.length + MAX_LABEL_LENGTH + after.length + (coverageKey?.length ?? 0) + MAX_VALUES_LENGTH
  const writer = new JsonWriter(series.sums.length * rowLength)
  const [beforeLabel, afterLabel] = [new Template(before), new Template(after)]
  const suffixes = new RowSuffixes(series, coverageKey)
  let bucket = 0
  const writeValues = () => {
    writeImpressions(writer, series, bucket)
    writer.template(suffixes.of(bucket++))
  }
  for (let i = 0; i < series.days.length; i++) {
    const day = series.days[i]!
    if (series.minutes && day.regular) {
      const row = new Template(`${before}${labelOfMidnight(day, label)}${after}`)
      const clockOffset = before.length + (label === 'time' ? 0 : 'YYYY-MM-DDT'.length)
      for (let minute = 0; minute < 1440; minute += series.minutes) {
        row.replace(clockOffset, CLOCK[minute]!)
        writer.template(row)
        writeValues()
      }
    } else {
      for (const text of labelsOfDay(series, i, label, bucket)) {
        writer.template(beforeLabel)
        writer.text(text)
        writer.template(afterLabel)
        writeValues()
      }
    }
  }
  return arrayOf(bucket === 0 ? [] : [writer.written])
}

const labelOfMidnight = ({ date, zoneIntervals }: Day, label: Label): string =>
  label === 'time' ? '00:00' : `${date}T00:00:00${offsetText(zoneIntervals[0].offset)}`

/** The end of each row, behind its impressions. Most rows have the same coverage as the one before. */
class RowSuffixes {
  private coverage: number | undefined
  private suffix = new Template('}')

  constructor(
    private readonly series: Series,
    private readonly coverageKey: string | undefined,
  ) {}

  of(bucket: number): Template {
    if (this.coverageKey === undefined) return this.suffix
    const coverage = coverageOf(this.series, bucket)
    if (coverage !== this.coverage) {
      this.coverage = coverage
      this.suffix = new Template(`${this.coverageKey}${coverage}}`)
    }
    return this.suffix
  }
}

function writeImpressions(writer: JsonWriter, series: Series, bucket: number): void {
  const impressions = impressionsOf(series, bucket)
  if (impressions === null) writer.text('null')
  else writer.integer(impressions)
}
