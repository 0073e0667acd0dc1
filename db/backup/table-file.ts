/** A file with the rows of one table as CSV, which PostgreSQL itself writes and reads (COPY). */
import type { ClientBase } from 'pg'
import { copyIn } from '../counts/copy'
import type { BackupFile } from './backup-file'
import type { Column } from './columns'

interface TableFile {
  /** The name of the file without its extension. */
  name: string
  /** The first format of an export that has it; 1 by default. */
  since?: number
  table: string
  /** The view that has the rows, if it is not the table itself. */
  view?: string
  /** In the order of the file. */
  columns: Column[]
  /** The first format of an export that has a column, by its name; that of the file by default. */
  added?: Record<string, number>
  /** SQL: the rows that the file has; all by default. */
  where?: string
  /** SQL: an order that does not depend on the database, and in which rows can be stored again. */
  order: string
  /** Columns that the database sets by itself. */
  derived?: string[]
  /** Whether a database without assets may have rows, which are of no use. `before` deletes them. */
  mayHaveRows?: boolean
  /** SQL to run before the first row is stored, and after the last one. Rows of a batch are in `staged_<name>`. */
  before?: string
  after?: string
  /** Stores the rows of a batch, and returns their number; by default, they are inserted into the table. */
  merge?: (client: ClientBase) => Promise<number>
}

export function tableFile(file: TableFile): BackupFile {
  const { name, table, view = table, columns, where = 'true', order, derived = [], before = '', after = '' } = file
  const stored = Object.entries(Object.assign({}, ...columns.map(({ store }) => store)) as Column['store'])
  const names = stored.map(([column]) => column)
  const staged = `staged_${name}`
  const select = `SELECT ${columns.map(({ name, read }) => `${read} AS ${name}`)} FROM ${view} t WHERE ${where} ORDER BY ${order}`
  const insert = `INSERT INTO ${table} (${names}) OVERRIDING SYSTEM VALUE
    SELECT ${stored.map(([, sql]) => sql)} FROM ${staged} s ORDER BY s.line`
  const { merge = async client => (await client.query(insert)).rowCount! } = file
  const header = columns.map(column => column.name)
  return {
    name,
    since: file.since ?? 1,
    table,
    columns: header,
    ...(file.added && { added: file.added }),
    tableColumns: [...(file.merge ? [] : names), ...derived],
    isEmptyAtFirst: !file.mayHaveRows,
    select,
    async store(client, batches, given = header) {
      await client.query(`
        CREATE TEMPORARY TABLE ${staged} ON COMMIT DROP AS ${select} WITH NO DATA;
        ALTER TABLE ${staged} ADD line integer GENERATED ALWAYS AS IDENTITY;
        ${before}`)
      let rows = 0
      for await (const records of batches) {
        await copyIn(client, `COPY ${staged} (${given}) FROM STDIN (FORMAT csv)`, [records])
        rows += await merge(client)
        await client.query(`TRUNCATE ${staged}`)
      }
      await client.query(after)
      return rows
    },
  }
}
