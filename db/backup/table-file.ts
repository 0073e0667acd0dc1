/** A file with the rows of one table as CSV, which PostgreSQL itself writes and reads (COPY). */
import { to } from 'pg-copy-streams'
import { copyIn } from '../counts/copy'
import type { BackupFile } from './backup-file'
import type { Column } from './columns'

interface TableFile {
  /** The name of the file without its extension. */
  name: string
  table: string
  /** In the order of the file. */
  columns: Column[]
  /** SQL: the rows that the file has; all by default. */
  where?: string
  /** SQL: an order that does not depend on the database, and in which rows can be stored again. */
  order: string
  /** Columns that the database sets by itself. */
  derived?: string[]
  /** Whether the table always has exactly one row, which is updated. */
  singleton?: boolean
  /** Whether a database without assets may have rows, which are of no use. `before` deletes them. */
  mayHaveRows?: boolean
  /** SQL to run before the first row is stored, and after the last one. Rows of the file are in `staged_<name>`. */
  before?: string
  after?: string
}

export function tableFile(file: TableFile): BackupFile {
  const { name, table, columns, derived = [], singleton = false, mayHaveRows = false, before, after } = file
  const stored = columns.flatMap(({ store }) => Object.entries(store))
  return {
    name,
    table,
    columns: columns.map(column => column.name),
    tableColumns: [...stored.map(([column]) => column), ...derived],
    isEmptyAtFirst: !singleton && !mayHaveRows,
    async *read(client) {
      const rows = client.query(to(`COPY (${selectSql(file)}) TO STDOUT (FORMAT csv)`))
      yield* rows
      return rows.rowCount
    },
    async open(client) {
      const staged = `staged_${name}`
      await client.query(`
        CREATE TEMPORARY TABLE ${staged} ON COMMIT DROP AS ${selectSql(file)} WITH NO DATA;
        ALTER TABLE ${staged} ADD line integer GENERATED ALWAYS AS IDENTITY;
        ${before ?? ''}`)
      const rows = `FROM ${staged} s WHERE s.line > $1 ORDER BY s.line`
      const [names, values] = [stored.map(([column]) => column), stored.map(([, sql]) => sql)].map(list =>
        list.join(', '),
      )
      const store = singleton
        ? `UPDATE ${table} t SET (${names}) = (SELECT ${values} ${rows})`
        : `INSERT INTO ${table} (${names}) OVERRIDING SYSTEM VALUE SELECT ${values} ${rows}`
      let line = 0
      return {
        async store(records) {
          await copyIn(client, `COPY ${staged} (${columns.map(column => column.name)}) FROM STDIN (FORMAT csv)`, [
            records,
          ])
          const { rowCount } = await client.query(store, [line])
          line += rowCount!
          if (!after) await client.query(`TRUNCATE ${staged}`)
          return rowCount!
        },
        async finish() {
          if (after) await client.query(after)
        },
      }
    },
  }
}

const selectSql = ({ table, columns, where = 'true', order }: TableFile): string =>
  `SELECT ${columns.map(({ name, read }) => `${read} AS ${name}`).join(', ')} FROM ${table} t WHERE ${where} ORDER BY ${order}`
