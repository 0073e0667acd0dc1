/** The tables of a copy, and the grains that it can have. Assets and sensors have the columns of their lists. */
import { LIST_COLUMNS } from '../generated'
import type { Row } from '../index'

export type Value = Row[string]

/** The types of columns, as SQLite, DuckDB and PostgreSQL name them. */
const SQL_TYPES = {
  text: 'text',
  integer: 'bigint',
  number: 'double precision',
  boolean: 'boolean',
  date: 'date',
  time: 'timestamptz',
} as const

interface Table {
  columns: Readonly<Record<string, keyof typeof SQL_TYPES>>
  asset: string
  /** The column with the local day, or the first day of the month, by which rows are replaced. */
  date?: string
}

export type TableName = 'assets' | 'sensors' | 'impressions' | 'origins' | 'demographics' | 'notes'

export const TABLES: Readonly<Record<TableName, Table>> = {
  assets: { columns: LIST_COLUMNS.assets, asset: 'id' },
  sensors: { columns: LIST_COLUMNS.sensors, asset: 'asset_id' },
  impressions: {
    columns: { asset_id: 'text', date: 'date', start: 'time', impressions: 'integer', coverage: 'number' },
    asset: 'asset_id',
    date: 'date',
  },
  origins: {
    columns: { asset_id: 'text', month: 'date', country: 'text', region: 'text', city: 'text', impressions: 'integer' },
    asset: 'asset_id',
    date: 'month',
  },
  demographics: {
    columns: { asset_id: 'text', month: 'date', gender: 'text', age_band: 'text', impressions: 'integer' },
    asset: 'asset_id',
    date: 'month',
  },
  notes: {
    columns: {
      ...{ id: 'text', asset_id: 'text', sensor_id: 'text', from_date: 'date', to_date: 'date' },
      ...{ kind: 'text', text: 'text', updated_at: 'time' },
    },
    asset: 'asset_id',
  },
}

export const TABLE_NAMES = Object.keys(TABLES) as TableName[]

export const KINDS = ['asset', 'removed', ...TABLE_NAMES.filter(name => name !== 'assets')].join()

export const columnNames = (table: TableName): string[] => Object.keys(TABLES[table].columns)

/** The columns of all tables, as the state of a copy has them. */
export const COLUMNS = TABLE_NAMES.map(table => columnNames(table).join(' ')).join()

export const columnDefinitions = (table: TableName): string[] =>
  Object.entries(TABLES[table].columns).map(([name, type]) => `${name} ${SQL_TYPES[type]}`)

/** The most days of a request by grain, finest first. Longer buckets would be read again whole after each change. */
export const MAX_DAYS = { minute: 7, quarter_hour: 105, hour: 420, day: 3660 } as const

export type Grain = keyof typeof MAX_DAYS

export const GRAINS = Object.keys(MAX_DAYS) as Grain[]
