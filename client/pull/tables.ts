/** The tables of a copy. Assets and sensors have the columns of their lists. */
import type { Column } from '../../rest-gateway/formats/columns'
import { partnerRoutes } from '../../rest-gateway/routes/partner'
import { compileRoute } from '../../rest-gateway/routes/route'

export type Value = string | number | boolean | null

interface Table {
  columns: readonly Pick<Column, 'name' | 'type'>[]
  /** The column with the id of the asset. */
  asset: string
  /** The column with the local day, or the first day of the month, by which rows are replaced. */
  date?: string
}

export type TableName = 'assets' | 'sensors' | 'impressions' | 'origins' | 'demographics'

const columnsOf = (operation: string): readonly Column[] =>
  compileRoute(partnerRoutes.find(route => route.operation === operation)!).columns

const text = (name: string) => ({ name, type: 'text' }) as const
const date = (name: string) => ({ name, type: 'date' }) as const

const IMPRESSIONS = { name: 'impressions', type: 'integer' } as const

export const TABLES: Readonly<Record<TableName, Table>> = {
  assets: { columns: columnsOf('ListAssets'), asset: 'id' },
  sensors: { columns: columnsOf('ListSensors'), asset: 'asset_id' },
  impressions: {
    columns: [
      ...[text('asset_id'), date('date'), { name: 'start', type: 'time' } as const],
      ...[IMPRESSIONS, { name: 'coverage', type: 'number' } as const],
    ],
    asset: 'asset_id',
    date: 'date',
  },
  origins: {
    columns: [text('asset_id'), date('month'), text('country'), text('region'), text('city'), IMPRESSIONS],
    asset: 'asset_id',
    date: 'month',
  },
  demographics: {
    columns: [text('asset_id'), date('month'), text('gender'), text('age_band'), IMPRESSIONS],
    asset: 'asset_id',
    date: 'month',
  },
}

export const TABLE_NAMES = Object.keys(TABLES) as TableName[]
