/**
 * A copy in a folder of CSV files: `assets.csv`, `sensors.csv`, `notes.csv`, and a file for each month of impressions, origins and
 * demographics, or for each day of impressions of a finer grain. New rows are written beside their file and merged with it, so
 * that no file is held in memory. Files are replaced as a whole at the commit, before the state: after an interruption, the step
 * that it belongs to is repeated.
 */

import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Row } from '../index'
import { CsvWriter, fieldsOf, readRecords, recordOf } from './csv-file'
import type { Days } from './days'
import { PullError } from './pull-error'
import type { Part, State, Store } from './store'
import { columnNames, TABLES, type TableName } from './tables'

const STATE = 'state.json'

/** The ends of the names of files that are being written: new rows, and what replaces a file. */
const UNFINISHED = ['.new', '.part']

/** A record with the text by which it is ordered. */
type Keyed = readonly [key: string, record: string]

/** Returns whether a record with these values is removed. */
type RecordFilter = (fields: readonly string[]) => boolean

/** The length of YYYY-MM. */
const MONTH = 7

export class FolderStore implements Store {
  /** The files that change at the commit, by the path of the file that replaces them; undefined for those that end. */
  private readonly changed = new Map<string, string | undefined>()

  /** Makes no folder: it is there after the first commit. @throws PullError for a folder with other files */
  constructor(
    private readonly folder: string,
    private readonly isByDay: boolean,
  ) {
    if (!existsSync(folder)) return
    if (!existsSync(join(folder, STATE)) && readdirSync(folder).length > 0) {
      throw new PullError('NOT_A_COPY', `${folder} has files that are not of a copy: use an empty folder`)
    }
    this.discard()
  }

  async readState(): Promise<State> {
    const file = join(this.folder, STATE)
    return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
  }

  async replace(table: TableName, removed: readonly Part[], rows: AsyncIterable<Row>): Promise<void> {
    const names = columnNames(table)
    const keys = TABLES[table].order
    const added = new Map<string, CsvWriter>()
    for await (const row of rows) {
      const path = this.pathOf(table, row)
      const writer = added.get(path) ?? new CsvWriter(join(this.folder, `${path}.new`), names)
      added.set(path, writer)
      const record = recordOf(names.map(name => row[name] ?? null))
      writer.add(keys.map(name => row[name]).join('\t'), record)
    }
    for (const writer of added.values()) writer.flush()
    const stored = this.listFiles(table).filter(path => removed.some(({ days }) => !days || mayHave(path, days)))
    const isRemoved = removalFilter(table, removed)
    for (const path of new Set([...added.keys(), ...stored])) await this.merge(table, path, isRemoved, added.get(path))
  }

  async sumImpressions(): Promise<Map<string, number>> {
    const names = columnNames('impressions')
    const [asset, count] = [names.indexOf('asset_id'), names.indexOf('impressions')] as const
    const sums = new Map<string, number>()
    for (const path of this.listFiles('impressions')) {
      for await (const record of readRecords(join(this.folder, path))) {
        const fields = fieldsOf(record)
        sums.set(fields[asset]!, (sums.get(fields[asset]!) ?? 0) + Number(fields[count]))
      }
    }
    return sums
  }

  async commit(state: State): Promise<void> {
    for (const [path, file] of this.changed) {
      if (file === undefined) rmSync(join(this.folder, path), { force: true })
      else renameSync(file, join(this.folder, path))
    }
    this.changed.clear()
    const file = join(this.folder, STATE)
    mkdirSync(this.folder, { recursive: true })
    writeFileSync(`${file}.part`, `${JSON.stringify(state, undefined, 2)}\n`)
    renameSync(`${file}.part`, file)
  }

  async close(): Promise<void> {
    if (existsSync(this.folder)) this.discard()
  }

  /** Deletes files that are not finished. */
  private discard(): void {
    for (const name of readdirSync(this.folder, { recursive: true, encoding: 'utf8' })) {
      if (UNFINISHED.some(end => name.endsWith(end))) rmSync(join(this.folder, name))
    }
  }

  private pathOf(table: TableName, row: Row): string {
    const { date } = TABLES[table]
    if (date === undefined) return `${table}.csv`
    const day = row[date] as string
    return `${table}/${table === 'impressions' && this.isByDay ? day : day.slice(0, MONTH)}.csv`
  }

  /** Returns the paths of the files of a table. */
  private listFiles(table: TableName): string[] {
    if (TABLES[table].date === undefined) return [`${table}.csv`]
    if (!existsSync(join(this.folder, table))) return []
    const names = readdirSync(join(this.folder, table)).filter(name => name.endsWith('.csv'))
    return names.map(name => `${table}/${name}`)
  }

  /** Writes what replaces a file at the commit: the records that stay and the new ones, in their order. */
  private async merge(table: TableName, path: string, isRemoved: RecordFilter | undefined, added?: CsvWriter) {
    const file = join(this.folder, path)
    const isNew = !isRemoved || !existsSync(file)
    if (isNew && (!added || added.isSorted)) {
      this.changed.set(path, added?.file)
      return
    }
    const keys = TABLES[table].order.map(name => columnNames(table).indexOf(name))
    const keyOf = (fields: readonly string[]) => keys.map(column => fields[column]).join('\t')
    // Rows of several requests are sorted in memory: those of one page of changes.
    const records: Keyed[] = []
    if (added) for await (const record of readRecords(added.file)) records.push([keyOf(fieldsOf(record)), record])
    if (!added?.isSorted) records.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    const merged = new CsvWriter(`${file}.part`, columnNames(table))
    let [next, isChanged] = [0, records.length > 0]
    for await (const record of isNew ? [] : readRecords(file)) {
      const fields = fieldsOf(record)
      if (isRemoved?.(fields)) {
        isChanged = true
        continue
      }
      const key = keyOf(fields)
      for (; next < records.length && records[next]![0] < key; next++) merged.add(...records[next]!)
      merged.add(key, record)
    }
    for (; next < records.length; next++) merged.add(...records[next]!)
    merged.flush()
    if (isChanged) this.changed.set(path, merged.isEmpty ? undefined : merged.file)
  }
}

/** Returns whether a file can have rows of these days. */
function mayHave(path: string, [from, to]: Days): boolean {
  const part = basename(path, '.csv')
  return part >= from.slice(0, part.length) && part <= to.slice(0, part.length)
}

/** Returns a filter of the records that are removed; undefined if none stays. */
function removalFilter(table: TableName, removed: readonly Part[]): RecordFilter | undefined {
  if (removed.some(({ ids }) => ids === null)) return undefined
  const { asset, date = '' } = TABLES[table]
  const [ofAsset, ofDate] = [asset, date].map(name => columnNames(table).indexOf(name))
  const byAsset = new Map<string, (Days | undefined)[]>()
  for (const { ids, days } of removed) {
    for (const id of ids!) byAsset.set(id, [...(byAsset.get(id) ?? []), days])
  }
  return fields => {
    const day = fields[ofDate!]!
    const ranges = byAsset.get(fields[ofAsset!]!) ?? []
    return ranges.some(days => !days || (days[0] <= day && day <= days[1]))
  }
}
