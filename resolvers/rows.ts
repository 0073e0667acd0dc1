/**
 * The rows of a series, one a bucket, with their total and average: objects for whoever asks freely; for a fixed query the
 * text of its rows, since making objects of a day of minutes, and text of them, would cost most of the request.
 */
import { type Day, startsOf } from '../db/calendar'
import type { Context } from './context'
import { average, coverage } from './ratios'
import { isLeftOut, type Series } from './series'
import { CLOCK, offsetText, timestamps } from './timestamps'

/** The name of each bucket of a series, in order. */
export type Names = readonly string[]

/** The keys under which a fixed query wants the columns of its rows: what names the bucket, impressions, perhaps coverage. */
export interface RowKeys {
  name: string
  impressions: string
  coverage: string | undefined
}

interface Rows<Row> {
  rows: Row[]
  total: number
  average: number
}

/** The rows of a series. `row` makes one of its bucket's name. Where the context wants text, it gets it, and there are none. */
export function rowsOf<Row>(
  series: Series,
  names: Names,
  context: Context | undefined,
  row: (name: string, impressions: number | null, coverage: number) => Row,
): Rows<Row> {
  let total = 0
  let withData = 0
  for (let i = 0; i < names.length; i++) {
    if ((series.observed[i] as number) === 0) continue
    total += series.sums[i] as number
    withData++
  }
  const answer = { rows: [] as Row[], total, average: average(total, withData) }
  if (context?.rowKeys) {
    context.rowsText = textOf(series, names, context.rowKeys)
    return answer
  }
  for (let i = 0; i < names.length; i++) {
    const impressions = (series.observed[i] as number) > 0 ? (series.sums[i] as number) : null
    answer.rows.push(row(names[i] as string, impressions, coverageOf(series, i)))
  }
  return answer
}

const coverageOf = ({ covered, expected }: Series, i: number): number =>
  coverage(covered[i] as number, expected[i] as number)

/** The rows as JSON, without what embraces them. Names need no escaping: they are dates and times. */
function textOf(series: Series, names: Names, keys: RowKeys): string {
  const { observed, sums } = series
  const before = `{${JSON.stringify(keys.name)}:"`
  const between = `",${JSON.stringify(keys.impressions)}:`
  const beforeCoverage = keys.coverage && `,${JSON.stringify(keys.coverage)}:`
  let told: number | undefined
  let tail = '}'
  let text = ''
  for (let i = 0; i < names.length; i++) {
    const covered = beforeCoverage === undefined ? undefined : coverageOf(series, i)
    // Most have the same.
    if (covered !== told) {
      told = covered
      tail = `${beforeCoverage}${covered}}`
    }
    const impressions = (observed[i] as number) > 0 ? sums[i] : 'null'
    text += `${i === 0 ? before : `,${before}`}${names[i]}${between}${impressions}${tail}`
  }
  return text
}

/** When the buckets begin. */
export function startsOfBuckets({ days, firstBucket, minutes }: Series): Names {
  const starts: string[] = []
  days.forEach((day, i) => {
    if (minutes && day.even) addEvenDay(starts, day, minutes)
    // Of a bucket of several days the first names it.
    else if (!isLeftOut(day) && (minutes || firstBucket[i] === starts.length)) {
      starts.push(...timestamps(day, minutes ? startsOf(day, minutes) : [0]))
    }
  })
  return starts
}

function addEvenDay(starts: string[], { date, stretches }: Day, minutes: number): void {
  const tail = `:00${offsetText(stretches[0].offset)}`
  for (let minute = 0; minute < 1440; minute += minutes) starts.push(`${date}T${CLOCK[minute]}${tail}`)
}

/** The dates of buckets of one day each. */
export const datesOf = ({ days }: Series): Names => days.filter(day => !isLeftOut(day)).map(({ date }) => date)
