/**
 * Rows of the smaller kinds: read value by value, gathered in a temporary table `staged`, and there looked at as a whole.
 * What is found faulty leaves `staged` for `faults`; what says the same twice leaves it as unchanged.
 */
import type { ClientBase } from 'pg'
import { copyIn, textRow } from '../copy'
import type { Column } from '../csv/values'
import { type Tally, told } from '../figures'

/** Text that goes to the database at once, in characters. */
const PIECE = 1024 * 1024

export class StagedRows {
  /** Rows that only repeated an earlier one. */
  repeated = 0
  private held: string[] = []
  private size = 0
  private readonly readers: readonly (readonly [string, Column])[]

  /**
   * @param columns all columns of the kind, in the order in which values come
   * @param present those that the file has
   * @param zoneOf where the local times of a row are meant
   */
  private constructor(
    private readonly client: ClientBase,
    columns: Record<string, Column>,
    readonly present: readonly string[],
    private readonly tally: Tally,
    private readonly zoneOf: (value: (column: string) => string) => string,
  ) {
    this.readers = present.map(name => [name, columns[name] as Column] as const)
  }

  /** @param extra more columns of `staged`, in SQL, that are filled later */
  static async open(
    client: ClientBase,
    columns: Record<string, Column>,
    present: readonly string[],
    tally: Tally,
    extra: readonly string[] = [],
    zoneOf: (value: (column: string) => string) => string = () => 'UTC',
  ): Promise<StagedRows> {
    const defined = Object.entries(columns).map(([name, { type }]) => `${name} ${type}`)
    await client.query(`
      CREATE TEMPORARY TABLE staged (line bigint, ${[...defined, ...extra].join(', ')}) ON COMMIT DROP;
      CREATE TEMPORARY TABLE faults (line bigint, reason text) ON COMMIT DROP`)
    return new StagedRows(client, columns, present, tally, zoneOf)
  }

  has(column: string): boolean {
    return this.present.includes(column)
  }

  /** Reads a row and keeps it; or tells why it is faulty. `check` may find a fault in the row as a whole. */
  take(values: readonly string[], line: number, check?: (value: (column: string) => string) => string | undefined) {
    const value = (column: string): string => values[this.present.indexOf(column)] ?? ''
    const zone = this.zoneOf(value)
    const row: (string | number | null)[] = [line]
    const faults: string[] = []
    for (let i = 0; i < this.readers.length; i++) {
      const [name, column] = this.readers[i] as (typeof this.readers)[number]
      const text = values[i] as string
      const read = text === '' ? null : column.read(text, zone)
      if (read === undefined) faults.push(`${name} is ${told(text)}, but must be ${column.expected}`)
      else if (read === null && column.required) faults.push(`${name} is required`)
      row.push(read ?? null)
    }
    const fault = faults.length > 0 ? faults.join('; ') : check?.(value)
    if (fault) return fault
    const text = textRow(row)
    this.held.push(text)
    this.size += text.length
    return undefined
  }

  async settle(): Promise<void> {
    if (this.size > PIECE) await this.flush()
  }

  /** Sends what is still held; then the rows can be looked at as a whole. */
  async flush(): Promise<void> {
    const columns = ['line', ...this.present]
    await copyIn(this.client, `COPY staged (${columns.join(', ')}) FROM STDIN`, [this.held.join('')])
    this.held = []
    this.size = 0
  }

  /**
   * Rejects rows.
   *
   * @param reason SQL of the text
   * @param condition SQL that may speak of the row as `s`, and of what stands in `using`
   */
  async reject(reason: string, condition: string, using = ''): Promise<void> {
    await this.client.query(`
      WITH bad AS (
        DELETE FROM staged s ${using && `USING ${using}`} WHERE ${condition} RETURNING s.line, ${reason} AS reason
      )
      INSERT INTO faults SELECT line, min(reason) FROM bad GROUP BY line`)
  }

  /**
   * Rejects rows that have another one's key but say something else; those that say the same are dropped as unchanged.
   * Only those whose key comes again are sorted, which would take long for all.
   */
  async rejectTwins(key: string, what: string): Promise<void> {
    const content = `row(${this.present.map(column => `x.${column}`).join(', ')})::text`
    const { rows } = await this.client.query<{ repeated: number }>(`
      WITH twins AS (
        SELECT x.ctid, x.line, ${content} AS content, min(x.line) OVER same AS first,
          first_value(${content}) OVER same AS said
        FROM staged x JOIN (SELECT ${key} FROM staged GROUP BY ${key} HAVING count(*) > 1) AS again USING (${key})
        WINDOW same AS (PARTITION BY ${key} ORDER BY x.line
          ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
      ), gone AS (
        DELETE FROM staged s USING twins t WHERE s.ctid = t.ctid AND t.line > t.first
        RETURNING t.line, t.first, t.content = t.said AS same
      ), told AS (
        INSERT INTO faults SELECT line, ${literal(what)} || ' is told of differently on line ' || first FROM gone WHERE NOT same
      )
      SELECT count(*) FILTER (WHERE same)::integer AS repeated FROM gone`)
    this.repeated += rows[0]?.repeated ?? 0
  }

  /** Fills a column of `staged` with the number of what another column refers to, and rejects what is not known. */
  async resolve(column: string, into: string, { table, by }: { table: string; by: readonly string[] }): Promise<void> {
    for (const name of by) {
      await this.client.query(
        `UPDATE staged s SET ${into} = t.number FROM ${table} t WHERE s.${into} IS NULL AND t.${name}::text = s.${column}`,
      )
    }
    await this.reject(
      `${literal(`${column} `)} || to_json(left(s.${column}, 60)) || ' is unknown'`,
      `s.${column} IS NOT NULL AND s.${into} IS NULL`,
    )
  }

  /** Reports what was rejected, by line. */
  async reportFaults(): Promise<void> {
    await this.client.query('DECLARE faulty CURSOR FOR SELECT line, reason FROM faults ORDER BY line')
    for (;;) {
      const { rows } = await this.client.query<{ line: number; reason: string }>('FETCH 1000 FROM faulty')
      for (const { line, reason } of rows) this.tally.reject(line, reason)
      if (rows.length === 0) break
    }
    await this.client.query('CLOSE faulty')
  }
}

/** Text as SQL. */
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`
