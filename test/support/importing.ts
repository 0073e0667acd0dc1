/** Imports into a database of its own, and reads what was stored. */
import { Readable } from 'node:stream'
import type { Pool } from 'pg'
import { listDays, listStarts } from '../../db/calendar/local-days'
import { unpack } from '../../db/calendar/packed-counts'
import { readNodeRules } from '../../db/calendar/zone-rules'
import { type Figures, NO_FIGURES } from '../../db/figures'
import { FileError, type RowError } from '../../db/file-errors'
import { READ_TABLES } from '../../db/logins'
import { openPool } from '../../db/postgres/pool'
import { type ImportOptions, importFile } from '../../imports/import-file'
import type { Kind } from '../../imports/kind-names'
import { createDatabase, type TestDatabase, withoutTriggers } from './databases'
import { Factory } from './factories'

export interface Outcome extends Figures {
  /** `LINE: reason`, by line. */
  errors: string[]
}

/** A row of `sensor_days`, unpacked. */
export interface StoredDay {
  asset: string
  serial: string
  date: string
  impressions: number
  observed: number
  /** By interval; -1 for a missing one. */
  counts: number[]
  sums: number[]
  observedIn: number[]
}

/** The tables that imports write. */
const TABLES = [...READ_TABLES, 'installations', 'set_asides', 'set_aside_counts']

export class Imports {
  readonly make: Factory

  private constructor(
    readonly database: TestDatabase,
    readonly pool: Pool,
  ) {
    this.make = new Factory(pool)
  }

  static async open(): Promise<Imports> {
    const database = await createDatabase()
    return new Imports(database, openPool(database.ownerUrl, { max: 4 }))
  }

  async close(): Promise<void> {
    await this.pool.end()
    await this.database.drop()
  }

  /** Imports lines or bytes. The reason why a file is refused is in `errors` too. */
  async run(kind: Kind, content: readonly string[] | Buffer | Readable, options: ImportOptions = {}): Promise<Outcome> {
    const errors: RowError[] = []
    const stream =
      content instanceof Readable ? content : Readable.from([Buffer.isBuffer(content) ? content : content.join('\n')])
    const onRowError = (error: RowError) => errors.push(error)
    const sorted = () => errors.sort((a, b) => a.line - b.line).map(({ line, reason }) => `${line}: ${reason}`)
    try {
      const figures = await importFile(this.pool, kind, stream, { onRowError, ...options })
      const { read, ...others } = figures
      expect(Object.values(others).reduce((sum, figure) => sum + figure)).toBe(read)
      expect(figures.rejected).toBe(errors.length)
      return { ...figures, errors: sorted() }
    } catch (error) {
      if (!(error instanceof FileError)) throw error
      const { figures, line, message } = error
      expect(figures.rejected + figures.not_stored).toBe(figures.read)
      return { ...figures, errors: [...sorted(), `${line ?? 'file'}: ${message}`] }
    }
  }

  async rows(query: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
    return (await this.pool.query(query, values)).rows
  }

  /** Deletes all rows without triggers. TRUNCATE would take sixty times as long, because it creates new files. */
  async clear(): Promise<void> {
    await this.pool.query(withoutTriggers(...TABLES.map(table => `DELETE FROM ${table}`)))
  }

  /** Returns all stored days by asset, sensor and date. */
  async days(): Promise<StoredDay[]> {
    const { rows } = await this.pool.query(`
      SELECT d.*, a.name AS asset, a.time_zone, s.serial FROM sensor_days d
        JOIN assets a ON a.number = d.asset JOIN sensors s ON s.number = d.sensor ORDER BY a.name, s.serial, d.date`)
    return rows.map(({ asset, serial, date, impressions, observed, native_minutes, counts, hours, time_zone }) => {
      const [day] = listDays(readNodeRules(time_zone), date, date) as [ReturnType<typeof listDays>[number]]
      const { length } = listStarts(day, 60)
      const [observedIn, sums] = [hours.subarray(0, length), unpack(hours.subarray(length), length)]
      const unpacked = [...unpack(counts, listStarts(day, native_minutes).length)]
      return {
        asset,
        serial,
        date,
        impressions,
        observed,
        counts: unpacked,
        sums: [...sums],
        observedIn: [...observedIn],
      }
    })
  }
}

/** Returns the outcome of a file of which every row is stored. */
export const stored = (rows: number) => ({
  ...NO_FIGURES,
  read: rows,
  stored: rows,
  errors: [],
})

export const unchanged = (rows: number) => ({ ...stored(0), read: rows, unchanged: rows })

/** Returns the outcome of a file that is refused for these rows. */
export const refused = (rows: number, errors: (string | RegExp)[]) => ({
  ...NO_FIGURES,
  read: rows,
  rejected: errors.length,
  not_stored: rows - errors.length,
  errors: errors.map(fault => (typeof fault === 'string' ? fault : expect.stringMatching(fault))),
})
