/**
 * The options that would read the values of a file that were not read. An option is proposed at the end of the file, if it reads
 * every value: the reason of a row says no more than what was expected.
 */
import { isDate } from '../../db/calendar/local-days'
import { NumberHints } from './number-hints'
import { isRange } from './times/range-format'
import { TimeHints, type TimeOptions } from './times/time-hints'
import { type RowValues, VALUE_TYPES } from './values'

const EXPECTED = 'expected: 2026-03-01T08:00:00+01:00 or 2026-03-01 08:00, or another form with --time-format'
const NOTE = 'if this line is a sum or a note at the end of the file, give --footer-lines N'

/** The columns of which one tells the series that a time belongs to. */
const KEYS = ['sensor', 'serial', 'asset_id']

export class Hints {
  private readonly times: TimeHints
  private readonly numbers: NumberHints
  private readonly timeColumns: readonly number[]
  private readonly numberColumns: readonly number[]
  private readonly needsAll: boolean
  private readonly key: number

  /**
   * @param columns of the rows
   * @param values reads them by the options
   */
  constructor(
    private readonly columns: readonly string[],
    private readonly options: TimeOptions,
    values: RowValues,
  ) {
    const ofTypes = (...types: string[]) =>
      columns.flatMap((column, i) => (types.includes(VALUE_TYPES[column] ?? '') ? [i] : []))
    this.timeColumns = ofTypes('instant', 'date')
    this.numberColumns = ofTypes('whole', 'decimal')
    this.needsAll = ofTypes('decimal').length > 0
    this.key = columns.indexOf(KEYS.find(key => columns.includes(key)) ?? '')
    this.times = new TimeHints(columns, options, values)
    this.numbers = new NumberHints(columns, options, values)
  }

  /**
   * Notes a row that was read.
   *
   * @param isPlain whether its values are as the file has them
   */
  accept(raw: readonly string[], isPlain: boolean): void {
    if (this.times.isStarted) this.addTimes(raw)
    else this.times.hasRead = true
    if (!isPlain || this.needsAll) this.addNumbers(raw)
  }

  /** Notes a row that is rejected. Returns the reason with what is expected. */
  reject(reason: string, raw: readonly string[]): string {
    this.addTimes(raw)
    this.addNumbers(raw)
    for (const i of this.timeColumns) {
      const text = (raw[i] ?? '').trim()
      if (text === '' || !reason.includes(this.columns[i]!) || this.times.isRead(i, text)) continue
      const { timeFormat = [], intervalNumber } = this.options
      const isInstant = VALUE_TYPES[this.columns[i]!] === 'instant'
      const isDefault = isInstant && timeFormat.length === 0 && !intervalNumber
      const expected = isRange(text)
        ? '; it looks like a range of times'
        : isDefault && !isDate(text) && !reason.includes('--')
          ? `; ${EXPECTED}`
          : ''
      return `${reason}${expected}${/\d/.test(text) ? '' : `; ${NOTE}`}`
    }
    return reason
  }

  /** Notes the count of a cell whose row is rejected. */
  rejectCount(text: string): void {
    this.numbers.add(this.columns.indexOf('impressions'), text)
  }

  /** Returns what is proposed, after the last row. */
  describe(): string | undefined {
    const proposals = [...this.times.proposals(), ...this.numbers.proposals()]
    return proposals.length > 0 ? proposals.join('; ') : undefined
  }

  private addTimes(raw: readonly string[]): void {
    for (const i of this.timeColumns) this.times.add(i, raw[i] ?? '', raw[this.key] ?? '')
  }

  private addNumbers(raw: readonly string[]): void {
    for (const i of this.numberColumns) this.numbers.add(i, raw[i] ?? '')
  }
}
