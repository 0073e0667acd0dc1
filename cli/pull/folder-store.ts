/**
 * A copy in a folder of CSV files: `assets.csv`, `sensors.csv`, and a file for each month of impressions, origins and
 * demographics, or for each day of impressions of a finer grain. Files are replaced as a whole, before the state: after an
 * interruption, the step that it belongs to is repeated.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { OperatorError } from '../../db/operator-error'
import { csvWriter } from '../../rest-gateway/formats/text'
import type { Days, Row, State, Store } from './store'
import { TABLES, type TableName } from './tables'

const STATE = 'state.json'

export class FolderStore implements Store {
  /** The rows of the files that were read since the last commit, by path. */
  private readonly files = new Map<string, { table: TableName; rows: Row[] }>()

  /** @throws OperatorError for a folder with other files */
  constructor(
    private readonly folder: string,
    private readonly isByDay: boolean,
  ) {
    mkdirSync(folder, { recursive: true })
    if (!existsSync(join(folder, STATE)) && readdirSync(folder).length > 0) {
      throw new OperatorError('NOT_A_COPY', `${folder} has files that are not of a copy: use an empty folder`)
    }
  }

  async readState(): Promise<State> {
    const file = join(this.folder, STATE)
    return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
  }

  async remove(table: TableName, ids: readonly string[] | null, days?: Days): Promise<void> {
    const { asset, date } = TABLES[table]
    const removed = ids && new Set<unknown>(ids)
    const isOutside = (row: Row) => days && date && ((row[date] as string) < days[0] || (row[date] as string) > days[1])
    for (const path of this.listFiles(table)) {
      if (days && !this.mayHave(table, path, days)) continue
      const file = this.open(table, path)
      file.rows = file.rows.filter(row => isOutside(row) || (removed !== null && !removed.has(row[asset])))
    }
  }

  async insert(table: TableName, rows: readonly Row[]): Promise<void> {
    const { date } = TABLES[table]
    for (const row of rows) {
      const path = date ? join(table, `${this.partOf(table, row[date] as string)}.csv`) : `${table}.csv`
      this.open(table, path).rows.push(row)
    }
  }

  async sumImpressions(): Promise<Map<string, number>> {
    const sums = new Map<string, number>()
    for (const path of this.listFiles('impressions')) {
      for (const { asset_id, impressions } of this.read(path)) {
        sums.set(asset_id as string, (sums.get(asset_id as string) ?? 0) + Number(impressions))
      }
    }
    return sums
  }

  async commit(state: State): Promise<void> {
    for (const [path, { table, rows }] of this.files) {
      if (rows.length > 0) this.write(path, toCsv(table, rows))
      else rmSync(join(this.folder, path), { force: true })
    }
    this.files.clear()
    this.write(STATE, `${JSON.stringify(state, undefined, 2)}\n`)
  }

  async close(): Promise<void> {}

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
    const opened = [...this.files].flatMap(([path, file]) => (file.table === table ? path : []))
    return [...new Set([...stored, ...opened])]
  }

  private open(table: TableName, path: string): { rows: Row[] } {
    const known = this.files.get(path) ?? { table, rows: this.read(path) }
    this.files.set(path, known)
    return known
  }

  /** Empty values are null. */
  private read(path: string): Row[] {
    const file = join(this.folder, path)
    if (!existsSync(file)) return []
    return parse(readFileSync(file), { columns: true, cast: value => (value === '' ? null : value) })
  }

  private write(path: string, text: string): void {
    const file = join(this.folder, path)
    mkdirSync(join(file, '..'), { recursive: true })
    writeFileSync(`${file}.part`, text)
    renameSync(`${file}.part`, file)
  }
}

/** Rows are sorted, so that the same copy has the same files. */
function toCsv(table: TableName, rows: readonly Row[]): string {
  const { columns } = TABLES[table]
  const writer = csvWriter(
    columns.map(column => ({ ...column, path: [column.name], nullable: true, plain: false, optional: false })),
  )
  const keys = columns.slice(0, -1).map(({ name }) => name)
  const keyed = rows.map(row => [keys.map(name => row[name] ?? '').join('\t'), row] as const)
  keyed.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  const values = columns.map(({ name }) => keyed.map(([, row]) => row[name]))
  return [writer.begin(), ...writer.write(values), writer.end()].join('')
}
