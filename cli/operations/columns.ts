/** The columns of the tables that `partner-metrics list` prints. */
import type { ListedRow } from '../../db/operations/listings'
import type { Align } from '../text/fitted-table'
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
    { heading: 'companies', value: row => formatCompanies(row), truncatable: true },
    day('deactivated', 'deactivated_at'),
  ],
} satisfies Record<string, ListColumn[]>

export type ListKind = keyof typeof LIST_COLUMNS

const formatCompanies = ({ all_companies, companies }: ListedRow): string =>
  all_companies ? 'all' : (companies as { name: string }[]).map(({ name }) => name).join(', ')
