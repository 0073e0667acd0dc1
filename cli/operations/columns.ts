/** The columns of the tables that `partner-metrics list` prints. */
import type { Key } from '../../db/api-keys/api-keys'
import { formatRate } from '../../db/api-keys/rate'
import type { ListedRow } from '../../db/operations/listings'
import { type Cell, fittedTable } from '../text/fitted-table'
import { summarizeValues } from './summary'

interface ListColumn {
  heading: string
  value(row: ListedRow): unknown
  /** Whether long texts may be cut. */
  truncatable?: boolean
}

const column = (heading: string, name = heading.replaceAll(' ', '_')): ListColumn => ({
  heading,
  value: row => row[name],
})

const name = (heading: string, name?: string): ListColumn => ({ ...column(heading, name), truncatable: true })

const numericId = (heading: string): ListColumn => {
  const { value } = column(heading)
  return { heading, value: row => value(row)?.toString() }
}

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
  companies: [column('id'), name('name'), column('assets'), column('sensors'), column('keys')],
  vendors: [column('id'), name('name'), column('own'), column('finest grain'), column('sensors')],
  assets: [column('id'), numericId('legacy id'), name('name'), name('company'), day('counts to', 'measured_to')],
  sensors: [
    column('serial'),
    name('vendor'),
    column('asset', 'asset_id'),
    name('name', 'asset'),
    day('installed', 'installed_on'),
    day('counts to', 'measured_to'),
  ],
  notes: [
    column('id'),
    { heading: 'asset or sensor', value: row => row.asset_id ?? row.sensor },
    name('name', 'asset'),
    column('from'),
    column('to'),
    column('kind'),
    { heading: 'for', value: row => (row.internal ? 'analysts' : 'partners') },
    name('text'),
  ],
  imports: [
    numericId('id'),
    { heading: 'at (UTC)', value: row => minute(row.at as string) },
    name('account'),
    column('kind'),
    name('file'),
    { heading: 'figures', value: row => summarizeValues(row.figures as Record<string, unknown>), truncatable: true },
  ],
  'set-aside': [
    numericId('id'),
    column('sensor'),
    name('asset'),
    { heading: 'from (UTC)', value: row => minute(row.from as string) },
    { heading: 'to (UTC)', value: row => minute(row.to as string) },
    column('counts'),
    column('impressions'),
    name('reason'),
    column('public'),
  ],
  keys: [
    column('id'),
    name('label'),
    name('companies'),
    name('scopes'),
    column('rate'),
    day('created', 'created_at'),
    day('last used', 'last_used_on'),
    { heading: 'valid until (UTC)', value: row => findEnd(row as unknown as Key) },
  ],
} satisfies Record<string, ListColumn[]>

export type ListKind = keyof typeof LIST_COLUMNS

/** Returns the day (UTC) of the last instant before an end, which is exclusive. */
const lastDay = (end = ''): string => end && new Date(Date.parse(`${end}Z`) - 1).toISOString().slice(0, 10)

/** Columns of keys on a terminal, which is narrow: what names them, and in what they differ. */
const TERMINAL_KEYS: readonly ListColumn[] = [
  ...LIST_COLUMNS.keys.slice(0, 3),
  { heading: 'scopes', value: ({ scopes }) => (scopes as string[]).map(scope => scope.split(':').at(-2)) },
  { heading: 'rate', value: ({ rate }) => (rate === DEFAULT_RATE ? null : rate) },
  day('last used', 'last_used_on'),
  { heading: 'valid until', value: row => lastDay(findEnd(row as unknown as Key)) },
]

const findDiffering = (columns: readonly ListColumn[], rows: readonly ListedRow[]): readonly ListColumn[] =>
  columns.filter(({ value }, i) => i < 3 || new Set(rows.map(row => String(value(row) ?? ''))).size > 1)

export function drawList(kind: ListKind, rows: readonly ListedRow[], width: number | undefined): string {
  const readable = kind === 'keys' ? rows.map(row => readableKey(row as unknown as Key) as unknown as ListedRow) : rows
  const columns = kind === 'keys' && width !== undefined ? findDiffering(TERMINAL_KEYS, readable) : LIST_COLUMNS[kind]
  const headings = (chosen: readonly ListColumn[]) => chosen.map(({ heading }) => heading)
  const cellOf = (value: unknown): Cell => (typeof value === 'number' ? value : [value ?? ''].flat().join(', '))
  return fittedTable(
    headings(columns),
    readable.map(row => columns.map(({ value }) => cellOf(value(row)))),
    [...headings(columns.filter(({ truncatable }) => truncatable)), 'label'],
    { width },
  )
}

const DEFAULT_RATE = 'the default'

/** Returns a key with the names of its companies and its rate as texts. */
export const readableKey = <Shown extends Pick<Key, 'all_companies' | 'companies' | 'rate'>>({
  all_companies,
  ...key
}: Shown) => ({
  ...key,
  companies: all_companies ? ['all'] : key.companies.map(({ name }) => name),
  rate: key.rate ? formatRate(key.rate) : DEFAULT_RATE,
})
