/** Changes one CSV file of a copy: leaves out rows that were removed, and merges new ones in their order. */
import { existsSync, renameSync, rmSync } from 'node:fs'
import { csvWriter } from '../../rest-gateway/formats/text'
import { fieldsOf, RecordWriter, readRecords } from './csv-records'
import type { Days, Row } from './store'
import { TABLES, type TableName } from './tables'

interface Removal {
  /** Null removes the rows of all assets. */
  ids: ReadonlySet<string> | null
  days: Days | undefined
  /** The number of new rows that were inserted before it. */
  before: number
}

/** A record with the text by which it is ordered. */
type Keyed = readonly [key: string, record: string]

/** Returns whether a row was removed. */
type RowFilter = (fields: readonly string[], number: number) => boolean

/** The number of a row of the stored file, which is before all new ones. */
const STORED = -1

export class FileEdit {
  private readonly removals: Removal[] = []
  private readonly writer: ReturnType<typeof csvWriter>
  private readonly names: string[]
  /** The columns by which rows are ordered. */
  private readonly keys: number[]
  /** The new rows, which have their order if they are read from a list. */
  private added: RecordWriter | undefined
  private count = 0
  private lastKey = ''
  private isSorted = true

  constructor(
    readonly table: TableName,
    private readonly file: string,
  ) {
    const { columns, asset, date } = TABLES[table]
    this.names = columns.map(({ name }) => name)
    this.keys = date === undefined ? [0] : [asset, date].map(name => this.names.indexOf(name))
    this.writer = csvWriter(
      columns.map(column => ({ ...column, path: [column.name], nullable: true, plain: false, optional: false })),
    )
  }

  remove(ids: Removal['ids'], days: Days | undefined): void {
    this.removals.push({ ids, days, before: this.count })
  }

  insert(rows: readonly Row[]): void {
    this.added ??= new RecordWriter(`${this.file}.new`, this.writer.begin() as string)
    for (const row of rows) {
      const key = this.keys.map(column => row[this.names[column]!]).join('\t')
      if (key < this.lastKey) this.isSorted = false
      this.lastKey = key
    }
    this.count += rows.length
    const values = this.names.map(name => rows.map(row => row[name]))
    for (const text of this.writer.write(values)) this.added.write(text as string)
  }

  /** Replaces the file, unless nothing changes; deletes it if no row remains. */
  apply(): void {
    const { file, added } = this
    added?.flush()
    const isNew = !existsSync(file) && this.isSorted && this.removals.every(({ before }) => before === 0)
    const isRemoved = this.createFilter()
    if (added && isNew) renameSync(added.file, file)
    else if (added || isAny(readRecords(file), record => isRemoved(fieldsOf(record), STORED))) this.rewrite(isRemoved)
  }

  private rewrite(isRemoved: RowFilter): void {
    const { file, added } = this
    const output = new RecordWriter(`${file}.part`, this.writer.begin() as string)
    let isEmpty = true
    for (const record of merge(this.readKept(file, isRemoved), this.readAdded(isRemoved))) {
      output.writeRecord(record)
      isEmpty = false
    }
    output.flush()
    renameSync(output.file, file)
    if (added) rmSync(added.file)
    if (isEmpty) rmSync(file)
  }

  private createFilter(): RowFilter {
    const table = TABLES[this.table]
    const [asset, date] = [table.asset, table.date ?? ''].map(name => this.names.indexOf(name))
    const ofAll = this.removals.filter(({ ids }) => ids === null)
    const byAsset = new Map<string, Removal[]>()
    for (const removal of this.removals) {
      for (const id of removal.ids ?? []) byAsset.set(id, [...(byAsset.get(id) ?? []), removal])
    }
    return (fields, number) => {
      const day = fields[date!]!
      const applies = ({ days, before }: Removal) => number < before && (!days || (days[0] <= day && day <= days[1]))
      return ofAll.some(applies) || (byAsset.get(fields[asset!]!)?.some(applies) ?? false)
    }
  }

  private *readKept(file: string, isRemoved: RowFilter): Generator<Keyed> {
    let number = 0
    for (const record of readRecords(file)) {
      const fields = fieldsOf(record)
      if (isRemoved(fields, file === this.file ? STORED : number++)) continue
      yield [this.keys.map(column => fields[column]).join('\t'), record]
    }
  }

  /** Rows of several requests are sorted in memory: those of one page of changes. */
  private readAdded(isRemoved: RowFilter): Iterable<Keyed> {
    if (!this.added) return []
    const added = this.readKept(this.added.file, isRemoved)
    return this.isSorted ? added : [...added].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  }
}

function isAny<Item>(items: Iterable<Item>, test: (item: Item) => boolean): boolean {
  for (const item of items) if (test(item)) return true
  return false
}

/** Merges records that are sorted already. */
function* merge(first: Iterable<Keyed>, second: Iterable<Keyed>): Generator<string> {
  const others = second[Symbol.iterator]()
  let other = others.next()
  for (const [key, record] of first) {
    for (; !other.done && other.value[0] < key; other = others.next()) yield other.value[1]
    yield record
  }
  for (; !other.done; other = others.next()) yield other.value[1]
}
