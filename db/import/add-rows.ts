/** Reads a file and adds its rows to a new sink of its kind. */
import type { Readable } from 'node:stream'
import type { ClientBase } from 'pg'
import { CellErrors } from './cell-errors'
import type { Delimiter, FileForm, FormOptions } from './csv/file-form'
import { type ColumnOptions, type Header, isHeader, readHeader } from './csv/header'
import { Hints } from './csv/hints'
import { readRecords } from './csv/read-records'
import { RowValues, type ValueOptions } from './csv/values'
import { FileError } from './errors'
import type { Kind } from './kind-names'
import { KINDS } from './kinds'
import type { RowCounter } from './row-counter'
import type { RowSink, SinkOptions } from './row-sink'

/** The options by which a file is read. */
export interface RowOptions extends FormOptions, ColumnOptions, ValueOptions, SinkOptions {
  /** Receives the header's record and the form of the file before any row. */
  onHeader?: (record: readonly string[], form: FileForm) => void
  /** Receives the options that would read the values of the file that were not read, after the last row. */
  onHint?: (hint: string) => void
}

/** @throws FileError when the file as a whole is refused */
export async function addRows(
  client: ClientBase,
  kind: Kind,
  stream: Readable,
  options: RowOptions,
  counter: RowCounter,
): Promise<RowSink> {
  const kindColumns = KINDS[kind]
  const { columns, openSink } = kindColumns
  let rows: Rows | undefined
  let form: FileForm | undefined
  const onForm = (detected: FileForm) => {
    form = detected
  }
  const reading = {
    ...options,
    columns,
    onForm,
    isHeader: (names: readonly string[]) => isHeader(names, kindColumns, options),
  }
  const records = readRecords(stream, reading, error => counter.rejectRecord(error, rows?.perRecord ?? 1))
  for await (const { records: batch, lines } of records) {
    for (let i = 0; i < batch.length; i++) {
      const record = batch[i] as string[]
      const line = lines[i] as number
      if (rows) addRow(rows, record, line)
      else {
        const detected = form as FileForm
        const header = readHeader(record, line, kindColumns, options, detected.delimiter)
        options.onHeader?.(record, detected)
        const cells = header.sensors && new CellErrors(header.sensors, counter)
        const sink = await openSink(client, header.columns, cells?.counter ?? counter, options)
        rows = new Rows(header, sink, counter, cells, options, detected.delimiter)
      }
    }
    await rows?.sink.flushIfFull()
  }
  if (!rows) throw new FileError('is empty: there is no header')
  const hint = rows.hints.describe()
  if (hint !== undefined) options.onHint?.(hint)
  return rows.sink
}

/** Adds a row, and its line to an error for which the file is refused. */
function addRow(rows: Rows, record: readonly string[], line: number): void {
  try {
    rows.add(record, line)
  } catch (error) {
    throw error instanceof FileError && error.line === undefined ? new FileError(error.message, line) : error
  }
}

const INCOMPLETE_SUM =
  'impressions is the sum of several columns (--sum), some of which are empty: --skip-faulty leaves such rows out'

/** Adds the rows of records to a sink: one each, or in a wide file one for each of its sensors. */
class Rows {
  readonly perRecord: number
  readonly hints: Hints
  private readonly values: RowValues
  private readonly sensorColumn: number
  private readonly countColumn: number

  constructor(
    private readonly header: Header,
    readonly sink: RowSink,
    private readonly counter: RowCounter,
    /** Undefined unless the file is wide. */
    private readonly cells: CellErrors | undefined,
    options: RowOptions,
    private readonly delimiter: Delimiter,
  ) {
    this.perRecord = header.sensors?.length ?? 1
    this.values = new RowValues(header.columns, options)
    this.hints = new Hints(header.columns, options)
    this.sensorColumn = header.columns.indexOf('sensor')
    this.countColumn = header.columns.indexOf('impressions')
  }

  add(record: readonly string[], line: number): void {
    const { header, counter } = this
    const reason = this.widthError(record)
    if (reason === '') return
    if (reason) counter.rejectRecord({ line, reason, record }, this.perRecord)
    else if (this.cells) this.addCells(this.cells, record, line)
    else {
      counter.read++
      const raw = header.arrangeValues(record)
      const values = this.values.read(raw)
      const refused = values && this.sink.add(values, line)
      const invalid = this.values.reason ?? refused
      if (invalid) counter.reject({ line, reason: this.hints.reject(invalid, raw), record })
      else this.hints.accept(raw, values === raw)
    }
  }

  private addCells(cells: CellErrors, record: readonly string[], line: number): void {
    const { header, counter, sensorColumn, countColumn } = this
    const raw = header.arrangeValues(record)
    const values = this.values.read(raw)
    if (!values) {
      const reason = this.hints.reject(this.values.reason as string, raw)
      counter.rejectRecord({ line, reason, record }, this.perRecord)
      return
    }
    let isAccepted = false
    for (const [i, sensor] of (header.sensors ?? []).entries()) {
      counter.read++
      const { serial, index } = sensor
      const number = cells.numberCell(line, i)
      const { text, count } = sensor.added
        ? this.addColumns([index, ...sensor.added], record)
        : { text: record[index] as string, count: this.values.readValue(countColumn, record[index] as string) }
      const cell = [...values]
      cell[sensorColumn] = serial
      cell[countColumn] = count ?? text
      const refused = this.sink.add(cell, number)
      const invalid = count === undefined ? this.values.reason : refused
      isAccepted ||= !invalid
      if (!invalid && count === text) continue
      const rawCell = raw.with(countColumn, text)
      if (!invalid) this.hints.accept(rawCell, false)
      else counter.reject({ line, reason: cells.describe(number, this.hints.reject(invalid, rawCell)), record })
    }
    if (isAccepted) this.hints.accept(raw, true)
  }

  /** Returns the sum of a sensor's columns, as a count or as the first value that is none. */
  private addColumns(
    indexes: readonly number[],
    record: readonly string[],
  ): { text: string; count: string | undefined } {
    let sum = 0
    let empty = 0
    for (const index of indexes) {
      const text = record[index] as string
      const count = this.values.readValue(this.countColumn, text)
      if (count === undefined || !/^\d{0,16}$/.test(count)) return { text, count }
      if (count === '') empty++
      sum += Number(count)
    }
    if (empty === 0) return { text: String(sum), count: String(sum) }
    if (empty === indexes.length) return { text: '', count: '' }
    this.values.reason = INCOMPLETE_SUM
    return { text: '', count: undefined }
  }

  /** Returns why the values of a record do not fit the header; empty for a record without any value. */
  private widthError(record: readonly string[]): string | undefined {
    const { width, unnamed } = this.header
    const isFilled = (value: string | undefined) => value !== undefined && value.trim() !== ''
    if ((record.length > 1 || record[0] !== '') && !record.some(isFilled)) return ''
    const filled = unnamed.find(index => isFilled(record[index]))
    if (filled !== undefined) {
      return (
        `has a value in column ${filled + 1}, which has no name in the header: leave such columns out with --ignore '', ` +
        `or use the first of them, as in --map start= or, joined with another one, --map start=Date+`
      )
    }
    if (record.length === width || (record.length > width && !record.slice(width).some(isFilled))) return undefined
    const isQuoteMissing = record.length > width && this.delimiter === ','
    const hint = isQuoteMissing ? '; a value that contains a comma, like 52,5069, has to be in double quotes' : ''
    return `has ${record.length} values where the header has ${width}${hint}`
  }
}
