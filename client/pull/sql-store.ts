/** A copy in a database. Rows are replaced by deleting and inserting them, so that no table needs a key. */
import { OperatorError } from '../../db/operator-error'
import type { Column } from '../../rest-gateway/formats/columns'
import type { Days, Row, State, Store } from './store'
import { TABLE_NAMES, TABLES, type TableName, type Value } from './tables'

/** A connection with one transaction at a time. */
export interface SqlConnection {
  /** Types of columns. */
  types: Record<Column['type'], string>
  /** Runs a statement, whose parameters are `?`, and returns its rows. */
  run(sql: string, values?: readonly Value[]): Promise<Record<string, unknown>[]>
  close(): Promise<void>
}

/** Values of a statement: SQLite has at most 32,766. */
const MAX_VALUES = 10_000

/** Ids of a statement. */
const MAX_IDS = 500

export class SqlStore implements Store {
  private constructor(private readonly connection: SqlConnection) {}

  /** Creates the tables. @throws OperatorError for tables of somebody else */
  static async open(connection: SqlConnection): Promise<SqlStore> {
    const { types } = connection
    const exists = (table: string) =>
      connection.run(`SELECT * FROM ${table} LIMIT 0`).then(
        () => true,
        () => false,
      )
    if (!(await exists('state'))) {
      for (const table of TABLE_NAMES) {
        if (!(await exists(table))) continue
        await connection.close()
        throw new OperatorError(
          'NOT_A_COPY',
          `the database has a table ${table} that is not of a copy: use an empty one`,
        )
      }
    }
    await connection.run('BEGIN')
    for (const table of TABLE_NAMES) {
      const { columns, asset, date } = TABLES[table]
      const definitions = columns.map(({ name, type }) => `${name} ${types[type]}`)
      await connection.run(`CREATE TABLE IF NOT EXISTS ${table} (${definitions.join(', ')})`)
      const indexed = date === undefined ? asset : `${asset}, ${date}`
      await connection.run(`CREATE INDEX IF NOT EXISTS ${table}_of_asset ON ${table} (${indexed})`)
    }
    await connection.run(`CREATE TABLE IF NOT EXISTS state (name ${types.text}, value ${types.text})`)
    await connection.run('COMMIT')
    await connection.run('BEGIN')
    return new SqlStore(connection)
  }

  async readState(): Promise<State> {
    const rows = await this.connection.run('SELECT name, value FROM state')
    return Object.fromEntries(rows.map(({ name, value }) => [name, value])) as State
  }

  async remove(table: TableName, ids: readonly string[] | null, days?: Days): Promise<void> {
    const { asset, date } = TABLES[table]
    const inRange = days ? `${date} BETWEEN ? AND ?` : '1 = 1'
    for (const some of ids === null ? [[]] : parts(ids, MAX_IDS)) {
      const ofAssets = ids === null ? '' : ` AND ${asset} IN (${some.map(() => '?').join(', ')})`
      await this.connection.run(`DELETE FROM ${table} WHERE ${inRange}${ofAssets}`, [...(days ?? []), ...some])
    }
  }

  async insert(table: TableName, rows: readonly Row[]): Promise<void> {
    const names = TABLES[table].columns.map(({ name }) => name)
    const tuple = `(${names.map(() => '?').join(', ')})`
    for (const some of parts(rows, Math.floor(MAX_VALUES / names.length))) {
      const values = some.flatMap(row => names.map(name => row[name] ?? null))
      await this.connection.run(
        `INSERT INTO ${table} (${names.join(', ')}) VALUES ${some.map(() => tuple).join(', ')}`,
        values,
      )
    }
  }

  async sumImpressions(): Promise<Map<string, number>> {
    const rows = await this.connection.run(
      'SELECT asset_id, sum(impressions) AS sum FROM impressions GROUP BY asset_id',
    )
    return new Map(rows.map(({ asset_id, sum }) => [String(asset_id), Number(sum)]))
  }

  async commit(state: State): Promise<void> {
    await this.connection.run('DELETE FROM state')
    for (const entry of Object.entries(state)) await this.connection.run('INSERT INTO state VALUES (?, ?)', entry)
    await this.connection.run('COMMIT')
    await this.connection.run('BEGIN')
  }

  /** Ends the connection, and thereby the transaction. */
  close(): Promise<void> {
    return this.connection.close()
  }
}

function parts<Item>(items: readonly Item[], size: number): Item[][] {
  const result: Item[][] = []
  for (let i = 0; i < items.length; i += size) result.push(items.slice(i, i + size))
  return result
}
