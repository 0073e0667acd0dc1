/** The columns of the tables that `partner-metrics list` prints. */
import type { Key } from '../../db/api-keys/api-keys'
import { formatRate, type Rate } from '../../db/api-keys/rate'
import type { ListedRow } from '../../db/operations/listings'
import { companyNames } from '../keys/format-keys'
import type { Align, drawTable } from '../text/fitted-table'
import { summarizeValues } from './summary'

interface ListColumn {
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

/** Returns an instant without seconds. @param instant RFC 3339 */
export const minute = (instant: string): string => instant.slice(0, 16).replace('T', ' ')

/** Returns when a key ended or will end; undefined where it has no end. */
const findEnd = ({ deactivated_at, expires_at }: Key): string | undefined =>
  [deactivated_at, expires_at]
    .filter(end => end !== null)
    .sort((a, b) => Date.parse(a) - Date.parse(b))
    .map(minute)[0]

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
  notes: [
    column('id'),
    { heading: 'asset or sensor', value: row => row.asset_id ?? row.sensor },
    column('from'),
    column('to'),
    column('kind'),
    { heading: 'for', value: row => (row.internal ? 'analysts' : 'partners') },
    name('text'),
  ],
  imports: [
    figure('id'),
    { heading: 'at (UTC)', value: row => minute(row.at as string) },
    name('account'),
    column('kind'),
    name('file'),
    { heading: 'figures', value: row => summarizeValues(row.figures as Record<string, unknown>), truncatable: true },
  ],
  'set-aside': [
    figure('id'),
    column('sensor'),
    { heading: 'from (UTC)', value: row => minute(row.from as string) },
    { heading: 'to (UTC)', value: row => minute(row.to as string) },
    figure('counts'),
    figure('impressions'),
    name('reason'),
    column('public'),
  ],
  keys: [
    column('id'),
    name('label'),
    { heading: 'companies', value: row => companyNames(row as unknown as Key).join(', '), truncatable: true },
    { heading: 'scopes', value: row => (row.scopes as string[]).join(', '), truncatable: true },
    { heading: 'rate', value: row => row.rate && formatRate(row.rate as Rate) },
    day('created', 'created_at'),
    day('last used', 'last_used_on'),
    { heading: 'valid until (UTC)', value: row => findEnd(row as unknown as Key) },
  ],
} satisfies Record<string, ListColumn[]>

export type ListKind = keyof typeof LIST_COLUMNS

/** Returns the columns in which rows differ, with what names them: a terminal is narrow. `show` and --json have all. */
const findDiffering = (columns: readonly ListColumn[], rows: readonly ListedRow[]): readonly ListColumn[] =>
  columns.filter(
    ({ heading, value }) =>
      ['id', 'label', 'companies'].includes(heading) || new Set(rows.map(row => String(value(row) ?? ''))).size > 1,
  )

/** Returns the table of rows of a kind, as `drawTable` takes it. */
export function arrangeTable(
  kind: ListKind,
  rows: readonly ListedRow[],
  width: number | undefined,
): Parameters<typeof drawTable> {
  const columns = kind === 'keys' && width !== undefined ? findDiffering(LIST_COLUMNS.keys, rows) : LIST_COLUMNS[kind]
  const headings = (chosen: readonly ListColumn[]) => chosen.map(({ heading }) => heading)
  return [
    headings(columns),
    rows.map(row => columns.map(({ value }) => String(value(row) ?? ''))),
    headings(columns.filter(({ truncatable }) => truncatable)),
    { aligns: columns.map(({ align = 'left' }) => align), width },
  ]
}
