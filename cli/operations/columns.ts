/** The columns of the tables that `partner-metrics list` prints. */
import type { Key } from '../../db/api-keys/api-keys'
import type { ListedRow } from '../../db/operations/listings'
import { companyNames } from '../keys/format-keys'
import type { Align, drawTable } from '../text/fitted-table'
import { summarizeValues } from './summary'

export interface ListColumn {
  heading: string
  value(row: ListedRow): unknown
  align?: Align
  /** Whether long texts may be truncated. */
  truncatable?: boolean
}

const column = (heading: string, name = heading.replaceAll(' ', '_')): ListColumn => ({
  heading,
  value: row => row[name],
})

const name = (heading: string): ListColumn => ({ ...column(heading), truncatable: true })

const figure = (heading: string): ListColumn => ({ ...column(heading), align: 'right' })

const day = (heading: string, name: string): ListColumn => ({
  heading,
  value: row => (row[name] as string | null)?.slice(0, 10),
})

export const LIST_COLUMNS = {
  companies: [column('id'), name('name'), figure('assets'), figure('sensors'), figure('keys')],
  vendors: [column('id'), name('name'), column('own'), column('finest grain'), figure('sensors')],
  assets: [column('id'), figure('legacy id'), name('name'), name('company'), day('counts to', 'measured_to')],
  sensors: [
    column('serial'),
    name('vendor'),
    column('asset', 'asset_id'),
    day('installed', 'installed_on'),
    day('counts to', 'measured_to'),
  ],
  imports: [
    figure('id'),
    { heading: 'at (UTC)', value: row => (row.at as string).slice(0, 16).replace('T', ' ') },
    name('account'),
    column('kind'),
    name('file'),
    { heading: 'figures', value: row => summarizeValues(row.figures as Record<string, unknown>), truncatable: true },
  ],
  keys: [
    column('id'),
    name('label'),
    { heading: 'companies', value: row => companyNames(row as unknown as Key).join(', '), truncatable: true },
    day('deactivated', 'deactivated_at'),
  ],
} satisfies Record<string, ListColumn[]>

export type ListKind = keyof typeof LIST_COLUMNS

/** Returns the table of rows of a kind, as `drawTable` takes it. */
export function arrangeTable(
  kind: ListKind,
  rows: readonly ListedRow[],
  width: number | undefined,
): Parameters<typeof drawTable> {
  const columns: readonly ListColumn[] = LIST_COLUMNS[kind]
  const headings = (chosen: readonly ListColumn[]) => chosen.map(({ heading }) => heading)
  return [
    headings(columns),
    rows.map(row => columns.map(({ value }) => String(value(row) ?? ''))),
    headings(columns.filter(({ truncatable }) => truncatable)),
    { aligns: columns.map(({ align = 'left' }) => align), width },
  ]
}
