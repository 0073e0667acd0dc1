/** A copy in a database: rows are deleted and inserted, and stored together with the state or not at all. */
import type { Row } from '../index'
import type { Days } from './days'
import { PullError } from './pull-error'
import { columnDefinitions, columnNames, TABLE_NAMES, TABLES, type TableName, type Value } from './tables'

/** The position of the copy and what it is a copy of, by name. */
export type State = Record<string, string>

/** Rows of a table: those of some assets, or of all if `ids` is null; of some days where they are given. */
export interface Part {
  ids: readonly string[] | null
  days?: Days | undefined
}

/** A connection with one transaction at a time. */
export interface SqlConnection {
  /** Runs a statement, whose parameters are `?`, and returns its rows. */
  run(sql: string, values?: readonly Value[]): Promise<Record<string, unknown>[]>
  close(): Promise<void>
}

/** Values of a statement: SQLite has at most 32,766. */
const MAX_VALUES = 10_000

const MAX_IDS = 500

export class SqlStore {
  private constructor(private readonly connection: SqlConnection) {}

  /** Creates the tables. @throws PullError for tables of somebody else */
  static async open(connection: SqlConnection): Promise<SqlStore> {
    const has = (table: string) =>
      connection.run(`SELECT * FROM ${table} LIMIT 0`).then(
        () => true,
        () => false,
      )
    const isCopy = await has('state')
    for (const table of isCopy ? [] : TABLE_NAMES) {
      if (!(await has(table))) continue
      await connection.close()
      throw new PullError('NOT_A_COPY', `the database has a table ${table} that is not of a copy: use an empty one`)
    }
    await connection.run('BEGIN')
    for (const table of TABLE_NAMES) {
      const { asset, date } = TABLES[table]
      await connection.run(`CREATE TABLE IF NOT EXISTS ${table} (${columnDefinitions(table).join(', ')})`)
      const indexed = date === undefined ? asset : `${asset}, ${date}`
      await connection.run(`CREATE INDEX IF NOT EXISTS ${table}_of_asset ON ${table} (${indexed})`)
    }
    await connection.run('CREATE TABLE IF NOT EXISTS state (name text, value text)')
    await connection.run('COMMIT')
    await connection.run('BEGIN')
    return new SqlStore(connection)
  }

  async readState(): Promise<State> {
    const rows = await this.connection.run('SELECT name, value FROM state')
    return Object.fromEntries(rows.map(({ name, value }) => [name, value])) as State
  }

  /** Removes parts of a table, and inserts rows. Between two commits, it is called once for a table and its days. */
  async replace(table: TableName, removed: readonly Part[], rows: AsyncIterable<Row>): Promise<void> {
    for (const part of removed) await this.remove(table, part)
    const names = columnNames(table)
    let values: Value[] = []
    const insert = async () => {
      if (values.length === 0) return
      const tuple = `(${names.map(() => '?').join(', ')})`
      const tuples = Array(values.length / names.length).fill(tuple)
      await this.connection.run(`INSERT INTO ${table} (${names.join(', ')}) VALUES ${tuples.join(', ')}`, values)
      values = []
    }
    for await (const row of rows) {
      values.push(...names.map(name => row[name] ?? null))
      if (values.length + names.length > MAX_VALUES) await insert()
    }
    await insert()
  }

  private async remove(table: TableName, { ids, days }: Part): Promise<void> {
    const { asset, date } = TABLES[table]
    const range = days ?? []
    const inRange = days ? `${date} BETWEEN ? AND ?` : '1 = 1'
    if (ids === null) await this.connection.run(`DELETE FROM ${table} WHERE ${inRange}`, range)
    for (let i = 0; ids && i < ids.length; i += MAX_IDS) {
      const some = ids.slice(i, i + MAX_IDS)
      const ofAssets = `${asset} IN (${some.map(() => '?').join(', ')})`
      await this.connection.run(`DELETE FROM ${table} WHERE ${inRange} AND ${ofAssets}`, [...range, ...some])
    }
  }

  async sumImpressions(): Promise<Map<string, number>> {
    const sql = 'SELECT asset_id, sum(impressions) AS sum FROM impressions GROUP BY asset_id'
    const rows = await this.connection.run(sql)
    return new Map(rows.map(({ asset_id, sum }) => [String(asset_id), Number(sum)]))
  }

  /** Stores all changes since the last commit, together with the state. */
  async commit(state: State): Promise<void> {
    await this.connection.run('DELETE FROM state')
    for (const entry of Object.entries(state)) await this.connection.run('INSERT INTO state VALUES (?, ?)', entry)
    await this.connection.run('COMMIT')
    await this.connection.run('BEGIN')
  }

  /** Ends the connection, and thereby the transaction: what was not committed is left behind. */
  close(): Promise<void> {
    return this.connection.close()
  }
}
