/**
 * Rows of the smaller kinds in a temporary table, `staged`, where they are validated together. Rejected rows move to
 * the table `rejected`; repeated ones are deleted and count as unchanged.
 */
import type { ClientBase } from 'pg'
import type { Column } from '../db/columns'
import { copyIn, textRow } from '../db/counts/copy'
import { readBatches } from '../db/cursor'
import { quote } from '../db/file-errors'
import { ENTITIES, type EntityKind, referencesSql } from '../db/references'
import { describeUnread } from './csv/values'
import type { RowCounter } from './row-sink'

/** Length of the buffered text from which on it is sent to the database. */
const BUFFER_LENGTH = 1024 * 1024

/** The value of a column of a row; empty for a column that the file does not have. */
export type ValueOf = (column: string) => string

interface StagedRowsOptions {
  /** Further columns of `staged`, with their types, that are filled later. */
  extraColumns?: readonly string[]
  /** Validates a row as a whole; returns the reason why it is rejected. */
  validateRow?: (value: ValueOf) => string | undefined
}

export class StagedRows {
  /** Rows that are not in `staged` because they change nothing: they repeat an earlier one, or are empty. */
  repeated = 0
  /** Rows that are not in `staged` because their change was merged with that of another row. */
  merged = 0
  private buffer: string[] = []
  private bufferedLength = 0
  private readonly parsers: readonly (readonly [string, Column])[]

  private constructor(
    private readonly client: ClientBase,
    columns: Record<string, Column>,
    /** The columns of the kind that the file has. */
    private readonly present: readonly string[],
    private readonly counter: RowCounter,
    private readonly options: StagedRowsOptions,
  ) {
    this.parsers = present.map(name => [name, columns[name] as Column] as const)
  }

  /** Creates the tables. @param columns all of the kind @param present those of the file, in the order of its values */
  static async create(
    client: ClientBase,
    columns: Record<string, Column>,
    present: readonly string[],
    counter: RowCounter,
    options: StagedRowsOptions = {},
  ): Promise<StagedRows> {
    const definitions = Object.entries(columns).map(([name, { type }]) => `"${name}" ${type}`)
    await client.query(`
      DROP TABLE IF EXISTS pg_temp.staged, pg_temp.rejected;
      CREATE TEMPORARY TABLE staged (line bigint, ${[...definitions, ...(options.extraColumns ?? [])].join(', ')}) ON COMMIT DROP;
      CREATE TEMPORARY TABLE rejected (line bigint, reason text) ON COMMIT DROP`)
    return new StagedRows(client, columns, present, counter, options)
  }

  has(column: string): boolean {
    return this.present.includes(column)
  }

  /** Parses and buffers a row; returns the reason why it is rejected. */
  add(values: readonly string[], line: number, zone?: string): string | undefined {
    const { reason, text = '' } = this.parse(values, line, zone)
    if (reason) return reason
    this.buffer.push(text)
    this.bufferedLength += text.length
    return undefined
  }

  bindRow(values: readonly string[]): ValueOf {
    return column => values[this.present.indexOf(column)] ?? ''
  }

  /** @param zone of local times */
  parse(values: readonly string[], line: number, zone = 'UTC'): { reason?: string; text?: string } {
    const row: (string | number | null)[] = [line]
    const reasons: string[] = []
    for (let i = 0; i < this.parsers.length; i++) {
      const [name, column] = this.parsers[i] as (typeof this.parsers)[number]
      const text = values[i]!
      const parsed = text === '' ? null : column.parse(text, zone)
      if (parsed === undefined)
        reasons.push(`${name} is ${quote(text)}, but must be ${column.expected}${describeUnread(name, text)}`)
      else if (parsed === null && column.required) reasons.push(`${name} is required`)
      row.push(parsed ?? null)
    }
    const reason = reasons.length > 0 ? reasons.join('; ') : this.options.validateRow?.(this.bindRow(values))
    return reason ? { reason } : { text: textRow(row) }
  }

  async flushIfFull(): Promise<void> {
    if (this.bufferedLength > BUFFER_LENGTH) await this.flush()
  }

  async flush(): Promise<void> {
    const columns = ['line', ...this.present]
    await copyIn(this.client, `COPY staged (${columns.map(name => `"${name}"`)}) FROM STDIN`, [this.buffer.join('')])
    this.buffer = []
    this.bufferedLength = 0
  }

  /** Removes rows whose content another row has now. */
  async merge(lines: readonly number[], isChange: boolean): Promise<void> {
    if (lines.length === 0) return
    await this.client.query('DELETE FROM staged WHERE line = ANY ($1)', [lines])
    if (isChange) this.merged += lines.length
    else this.repeated += lines.length
  }

  async leaveOutEmpty(column: string): Promise<void> {
    const { rowCount } = await this.client.query(`DELETE FROM staged WHERE ${column} IS NULL`)
    this.repeated += rowCount ?? 0
  }

  /** Returns the number of rows that were not rejected, without repeated ones. */
  async count(): Promise<number> {
    const { rows } = await this.client.query<{ count: number }>('SELECT count(*)::integer AS count FROM staged')
    return rows[0]?.count ?? 0
  }

  /** Rejects rows. @param reason SQL of the text @param condition SQL on the row `s` and the tables in `using` */
  async reject(reason: string, condition: string, using = ''): Promise<void> {
    await this.client.query(`
      WITH deleted AS (
        DELETE FROM staged s ${using && `USING ${using}`} WHERE ${condition} RETURNING s.line, ${reason} AS reason
      )
      INSERT INTO rejected SELECT line, min(reason) FROM deleted GROUP BY line`)
  }

  async rejectLines(reasons: ReadonlyMap<number, string>): Promise<void> {
    await this.client.query(
      `WITH deleted AS (
         DELETE FROM staged s USING unnest($1::bigint[], $2::text[]) AS r (line, reason) WHERE s.line = r.line RETURNING r.*
       )
       INSERT INTO rejected SELECT line, reason FROM deleted`,
      [[...reasons.keys()], [...reasons.values()]],
    )
  }

  /**
   * Rejects all rows of a key with several values, and deletes those that repeat another one. Only rows whose key
   * occurs more than once are sorted, because sorting all rows would take long.
   *
   * @param subject what the key identifies, for the reason
   */
  async rejectConflicts(key: string, subject: string): Promise<void> {
    const content = `row(${this.present.map(column => `x."${column}"`).join(', ')})::text`
    const { rows } = await this.client.query<{ repeated: number }>(`
      WITH duplicates AS (
        SELECT x.ctid AS position, ${key}, x.line, ${content} AS content, min(x.line) OVER same_key AS first_line,
          first_value(${content}) OVER same_key AS first_content
        FROM staged x JOIN (SELECT ${key} FROM staged GROUP BY ${key} HAVING count(*) > 1) AS keys USING (${key})
        WINDOW same_key AS (PARTITION BY ${key} ORDER BY x.line)
      ), compared AS (
        SELECT *, content = first_content AS equal,
          min(line) FILTER (WHERE content <> first_content) OVER (PARTITION BY ${key}) AS other_line
        FROM duplicates
      ), deleted AS (
        DELETE FROM staged s USING compared c WHERE s.ctid = c.position AND (c.line > c.first_line OR c.other_line IS NOT NULL)
        RETURNING c.line, CASE WHEN c.equal THEN c.other_line ELSE c.first_line END AS other_line
      ), inserted AS (
        INSERT INTO rejected
          SELECT line, '${subject}' || ' has other values on line ' || other_line FROM deleted
          WHERE other_line IS NOT NULL
      )
      SELECT count(*) FILTER (WHERE other_line IS NULL)::integer AS repeated FROM deleted`)
    this.repeated += rows[0]?.repeated ?? 0
  }

  /** Sets `target` to the number of the entity that `column` refers to; rejects rows with an unknown reference. */
  async resolve(column: string, target: string, kind: EntityKind): Promise<void> {
    const references = referencesSql(kind, 'keys and name')
    await this.client.query(`
      UPDATE staged s SET ${target} = r.number FROM (
        SELECT DISTINCT ON (reference) reference, number FROM ${references} AS r
        WHERE entities = 1 AND reference IN (SELECT ${column} FROM staged) ORDER BY reference, rank
      ) AS r WHERE r.reference = s.${column}`)
    const { keys, name } = ENTITIES[kind]
    const isUnknown = `s.${column} IS NOT NULL AND s.${target} IS NULL`
    const subject = `'${column} ' || to_json(left(s.${column}, 60))`
    const several = `' is the ${name} of ' || r.entities || ' ${kind}: give its ${keys.join(' or ')}'`
    if (name) {
      await this.reject(`${subject} || ${several}`, `${isUnknown} AND r.reference = s.${column}`, `${references} AS r`)
    }
    await this.reject(`${subject} || ' is unknown'`, isUnknown)
  }

  /** Reports the rejected rows, by line. */
  async reportRejected(): Promise<void> {
    const rejected = 'SELECT line, reason FROM rejected ORDER BY line'
    for await (const rows of readBatches<{ line: number; reason: string }>(this.client, rejected, 1000)) {
      for (const row of rows) this.counter.reject(row)
    }
  }
}
