/** Reads a file and adds its rows to a new sink of its kind. */
import type { Readable } from 'node:stream'
import type { ClientBase } from 'pg'
import { FileError, quote, type RowError } from '../db/file-errors'
import type { FormOptions } from './csv/file-form'
import type { Cell } from './csv/header/cells'
import type { ColumnOptions } from './csv/header/column-options'
import { type Header, readHeader } from './csv/header/header'
import { readRecords } from './csv/read-records'
import { dateOf, isNoRow, NO_ROW, RowValues, type ValueOptions } from './csv/values'
import type { Kind } from './kind-names'
import { KINDS } from './kinds'
import type { RowCounter, RowSink, SinkOptions } from './row-sink'

/** The options by which a file is read. */
export interface RowOptions extends FormOptions, ColumnOptions, ValueOptions, SinkOptions {}

/** @throws FileError when the file as a whole is refused */
export async function addRows(
  client: ClientBase,
  kind: Kind,
  stream: Readable,
  options: RowOptions,
  counter: RowCounter,
): Promise<RowSink> {
  const { openSink } = KINDS[kind]
  let rows: RecordRows | undefined
  const records = readRecords(stream, options, error => counter.rejectRecord(error, rows?.perRecord ?? 1))
  for await (const { records: batch, lines } of records) {
    for (let i = 0; i < batch.length; i++) {
      const record = batch[i] as string[]
      const line = lines[i]!
      if (rows) rows.add(record, line)
      else {
        const header = readHeader(record, line, KINDS[kind], options)
        const cells = header.cells && new CellErrors(header.cells)
        if (cells) counter.locate = error => cells.locate(error)
        const sink = await openSink(client, header.columns, counter, options)
        rows = new RecordRows(header, sink, counter, cells, options)
      }
    }
    await rows?.sink.flushIfFull()
  }
  if (!rows) throw new FileError('is empty: there is no header')
  return rows.sink
}

/** The sum of columns, the text that messages show for it, and the reason if there is no sum. */
interface ColumnSum {
  text: string
  count: string
  reason?: string
}

/** Adds the rows of records to a sink: one each, or one for each of its cells. */
class RecordRows {
  readonly perRecord: number
  private readonly values: RowValues
  private readonly startColumn: number
  private readonly countColumn: number
  /** The column that the name of a cell gives. */
  private readonly cellColumn: number

  constructor(
    private readonly header: Header,
    readonly sink: RowSink,
    private readonly counter: RowCounter,
    /** Undefined unless each cell is a row. */
    private readonly cells: CellErrors | undefined,
    private readonly options: RowOptions,
  ) {
    this.perRecord = header.cells?.length ?? 1
    this.values = new RowValues(header.columns, options)
    this.startColumn = header.columns.indexOf('start')
    this.countColumn = header.columns.indexOf('impressions')
    this.cellColumn = header.columns.indexOf(header.cells?.[0]?.column ?? '')
  }

  add(found: readonly string[], line: number): void {
    const { header, counter, options } = this
    const missing = header.names.length - found.length
    const record = options.shortRows && missing > 0 ? [...found, ...Array<string>(missing).fill('')] : found
    const reason = this.recordError(record)
    if (reason === '') return
    if (reason) counter.rejectRecord({ line, reason }, this.perRecord)
    else if (this.cells && header.cells) this.addCells(header.cells, this.cells, record, line)
    else {
      counter.read++
      const sum = header.summed && this.addColumns(header.summed, record)
      const arranged = header.arrangeValues(record)
      const raw = sum ? arranged.with(this.countColumn, sum.count) : arranged
      const values = this.values.readRow(raw)
      const shown = sum ? arranged.with(this.countColumn, sum.text) : raw
      const refused = typeof values === 'string' ? values : this.give(values, shown, line)
      const invalid = sum?.reason ?? refused
      if (invalid) counter.reject({ line, reason: invalid })
    }
  }

  private addCells(all: readonly Cell[], cells: CellErrors, record: readonly string[], line: number): void {
    const { counter, startColumn, countColumn } = this
    const raw = this.header.arrangeValues(record)
    const values = this.values.readRow(raw)
    const date = typeof values === 'string' ? undefined : dateOf(values[startColumn]!)
    if (typeof values === 'string' || (all[0]?.column === 'start' && date === undefined)) {
      const reason = typeof values === 'string' ? values : `start is ${quote(raw[startColumn]!)}, but ${MUST_BE_DATE}`
      counter.rejectRecord({ line, reason }, this.perRecord)
      return
    }
    for (const [i, { column, value, indexes }] of all.entries()) {
      counter.read++
      const number = cells.numberCell(line, i)
      const { text, count, reason } = this.addColumns(indexes, record)
      const cell = [...values]
      cell[this.cellColumn] = column === 'start' ? `${date}T${value}` : value
      cell[countColumn] = count
      const refused = this.give(cell, raw.with(countColumn, text), line, number)
      const invalid = reason ?? refused
      if (invalid) counter.reject({ line: number, reason: invalid })
    }
  }

  /** Adds a row to the sink. @param raw as messages show it @param number by which the sink knows the row */
  private give(values: readonly string[], raw: readonly string[], line: number, number = line): string | undefined {
    const asInFile = (message: string) =>
      values.reduce((text, value, i) => {
        const [column, written] = [this.header.columns[i]!, raw[i]!.trim()]
        if (value === '' || written === '') return text
        const shown = text.replaceAll(quote(value), () => quote(written))
        const hasValue = shown.includes(quote(written)) || shown.startsWith(`${column} is ${written}`)
        return shown.startsWith(`${column} is `) && !hasValue
          ? `${column} ${quote(written)}${shown.slice(column.length)}`
          : shown
      }, message)
    try {
      const reason = this.sink.add(values, number)
      return reason && asInFile(reason)
    } catch (error) {
      throw error instanceof FileError ? new FileError(asInFile(error.message), error.line ?? line) : error
    }
  }

  /** Adds up columns. What is no number remains as it is: the sink refuses it. */
  private addColumns(indexes: readonly number[], record: readonly string[]): ColumnSum {
    const read = (text: string) => this.values.readValue(this.countColumn, text) ?? text
    if (indexes.length === 1) {
      const text = record[indexes[0]!]!
      return { text, count: read(text) }
    }
    let sum = 0
    let empty = 0
    for (const index of indexes) {
      const text = record[index]!
      const count = read(text)
      if (!/^\d{0,16}$/.test(count)) return { text, count }
      if (count === '') empty++
      sum += Number(count)
    }
    if (empty === indexes.length) return { text: '', count: '' }
    if (empty === 0 || this.options.missing?.includes('')) return { text: String(sum), count: String(sum) }
    const text = indexes.map(index => record[index]).join('+')
    const reason = `impressions is the sum of several columns (--sum), some of which are empty: ${quote(text)}; ${EMPTY_PARTS}`
    return { text, count: text, reason }
  }

  /** Returns why the values of a record do not fit the header; empty for a record without any value. */
  private recordError(record: readonly string[]): string | undefined {
    const { names, unnamed } = this.header
    const width = names.length
    const isFilled = (value: string | undefined) => value !== undefined && value.trim() !== ''
    if ((record.length > 1 || record[0] !== '') && !record.some(isFilled)) return ''
    const filled = unnamed.find(index => isFilled(record[index]))
    if (filled !== undefined) {
      return (
        `has a value in column ${filled + 1}, which has no name in the header: leave such columns out with --ignore '', ` +
        `or use the first of them, as in --map start= or, joined with another one, --map start=Date+`
      )
    }
    if (record.length === width || (record.length > width && !record.slice(width).some(isFilled))) {
      return record.every((value, i) => value.trim() === names[i]) ? REPEATED_HEADER : undefined
    }
    const isComma = (this.options.delimiter ?? ',') === ','
    const hint = isNoRow(record.join(''))
      ? NO_ROW
      : record.length < width
        ? '; --short-rows reads cells that are missing at its end as empty'
        : isComma
          ? '; a value that contains a comma, like 52,5069, has to be in double quotes'
          : ''
    return `has ${record.length} values where the header has ${width}${hint}`
  }
}

const MUST_BE_DATE =
  'must be the date of the times in the columns (--across), like 2026-03-01 or of the form of --time-format'

const EMPTY_PARTS = "if an empty part counts as nothing, give --missing ''; --skip-faulty leaves such rows out"

const REPEATED_HEADER = 'is the header again: remove the line, or leave it out with --skip-faulty'

/** Sinks keep the number in 4 bytes. */
const MAX_CELL = 2 ** 31 - 1

/**
 * Errors of cells that are rows of their own. A sink gets the number of a cell in place of the line, so that the errors
 * that it reports later can name line and sensor, or line and column.
 */
class CellErrors {
  constructor(private readonly cells: readonly Cell[]) {}

  numberCell(line: number, index: number): number {
    const cell = line * this.cells.length + index
    if (cell > MAX_CELL) throw new FileError('has more than two billion cells: split it', line)
    return cell
  }

  /** Returns the error of a cell with its line, and with the sensor or column. */
  locate({ line: cell, reason }: RowError): RowError {
    return { line: this.findLine(cell), reason: this.describe(cell, reason) }
  }

  /** Returns the reason with the sensor or column, and with lines in place of cells. */
  private describe(cell: number, reason: string): string {
    const { label, column } = this.cells[cell % this.cells.length]!
    const text = reason.replace(/\bline (\d+)/g, (_, other) => `line ${this.findLine(Number(other))}`)
    if (!text.startsWith(label)) return `${label}: ${text}`
    return column === 'sensor' && text.startsWith(`${label} is unknown`)
      ? `${text}; if the column is not a sensor, leave it out with --ignore`
      : text
  }

  private findLine(cell: number): number {
    return Math.floor(cell / this.cells.length)
  }
}
