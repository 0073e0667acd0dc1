/**
 * A copy in a folder of CSV files: `assets.csv`, `sensors.csv`, and a file for each month of impressions, origins and
 * demographics, or for each day of impressions of a finer grain. New rows are written beside their file, and merged with it at
 * the commit, so that no file is held in memory. Files are replaced as a whole, before the state: after an interruption, the
 * step that it belongs to is repeated.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '../../db/operator-error'
import { fieldsOf, readRecords } from './csv-records'
import { FileEdit } from './file-edit'
import type { Days, Row, State, Store } from './store'
import { TABLES, type TableName } from './tables'

const STATE = 'state.json'

/** The ends of the names of files that are being written. */
const UNFINISHED = ['.new', '.part']

export class FolderStore implements Store {
  /** The changes since the last commit, by path. */
  private readonly edits = new Map<string, FileEdit>()

  /** Makes no folder: it is there after the first commit. @throws OperatorError for a folder with other files */
  constructor(
    private readonly folder: string,
    private readonly isByDay: boolean,
  ) {
    if (!existsSync(folder)) return
    if (!existsSync(join(folder, STATE)) && readdirSync(folder).length > 0) {
      throw new OperatorError('NOT_A_COPY', `${folder} has files that are not of a copy: use an empty folder`)
    }
    this.discard()
  }

  async readState(): Promise<State> {
    const file = join(this.folder, STATE)
    return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
  }

  async remove(table: TableName, ids: readonly string[] | null, days?: Days): Promise<void> {
    const removed = ids && new Set(ids)
    for (const path of this.listFiles(table)) {
      if (!days || this.mayHave(table, path, days)) this.edit(table, path).remove(removed, days)
    }
  }

  async insert(table: TableName, rows: readonly Row[]): Promise<void> {
    const { date } = TABLES[table]
    const byPath = new Map<string, Row[]>()
    for (const row of rows) {
      const path = date ? join(table, `${this.partOf(table, row[date] as string)}.csv`) : `${table}.csv`
      const some = byPath.get(path)
      if (some) some.push(row)
      else byPath.set(path, [row])
    }
    for (const [path, some] of byPath) this.edit(table, path).insert(some)
  }

  async sumImpressions(): Promise<Map<string, number>> {
    const { columns, asset } = TABLES.impressions
    const [id, count] = [asset, 'impressions'].map(name => columns.findIndex(column => column.name === name))
    const sums = new Map<string, number>()
    for (const path of this.listFiles('impressions')) {
      for (const record of readRecords(join(this.folder, path))) {
        const fields = fieldsOf(record)
        const asset = fields[id!]!
        sums.set(asset, (sums.get(asset) ?? 0) + Number(fields[count!]))
      }
    }
    return sums
  }

  async commit(state: State): Promise<void> {
    for (const edit of this.edits.values()) edit.apply()
    this.edits.clear()
    const file = join(this.folder, STATE)
    mkdirSync(this.folder, { recursive: true })
    writeFileSync(`${file}.part`, `${JSON.stringify(state, undefined, 2)}\n`)
    renameSync(`${file}.part`, file)
  }

  async close(): Promise<void> {
    if (this.edits.size > 0 && existsSync(this.folder)) this.discard()
  }

  /** Deletes files that are not finished. */
  private discard(): void {
    for (const name of readdirSync(this.folder, { recursive: true, encoding: 'utf8' })) {
      if (UNFINISHED.some(end => name.endsWith(end))) rmSync(join(this.folder, name))
    }
  }

  private partOf(table: TableName, date: string): string {
    return table === 'impressions' && this.isByDay ? date : date.slice(0, 7)
  }

  private mayHave(table: TableName, path: string, days: Days): boolean {
    const part = path.slice(table.length + 1, -'.csv'.length)
    return part >= this.partOf(table, days[0]) && part <= this.partOf(table, days[1])
  }

  /** Returns the paths of the files of a table, also of those that are not stored yet. */
  private listFiles(table: TableName): string[] {
    const folder = join(this.folder, table)
    const stored = TABLES[table].date
      ? existsSync(folder)
        ? readdirSync(folder)
            .filter(name => name.endsWith('.csv'))
            .map(name => join(table, name))
        : []
      : [`${table}.csv`]
    const edited = [...this.edits].flatMap(([path, edit]) => (edit.table === table ? path : []))
    return [...new Set([...stored, ...edited])]
  }

  private edit(table: TableName, path: string): FileEdit {
    const edit = this.edits.get(path) ?? new FileEdit(table, join(this.folder, path))
    this.edits.set(path, edit)
    return edit
  }
}
