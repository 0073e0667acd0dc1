/** The parts in which data is verified: several connections share them, and see one snapshot. */
import type { ClientBase, Pool, PoolClient } from 'pg'

/** A difference between what is stored and what it is derived from. */
export interface Difference {
  table: string
  /** The row, for people. */
  row: string
  column: string
  /** As text; null for null. */
  stored: string | null
  expected: string | null
  /** Whether the repair sets the expected value. */
  repairable: boolean
}

/** Receives each difference; the check goes on when its promise is fulfilled. */
export type OnDifference = (difference: Difference) => Promise<void>

type Range = readonly [first: number, last: number]

/** Restricts what is checked. Without bounds it is everything. */
export interface Bounds {
  /** The first and the last number of assets, or of companies. */
  assets?: Range
  companies?: Range
  /** The first local day. Months are checked from its month on. */
  since?: string | undefined
}

/** Returns SQL: whether a column with the number of an asset is in bounds. */
export const inAssets = ({ assets }: Bounds, column: string): string =>
  assets ? `${column} BETWEEN ${assets.join(' AND ')}` : 'true'

export const inCompanies = ({ companies }: Bounds, column: string): string =>
  companies ? `${column} BETWEEN ${companies.join(' AND ')}` : 'true'

export const inDays = ({ since }: Bounds, column: string): string =>
  since === undefined ? 'true' : `${column} >= date '${since}'`

/** Returns SQL: whether a column with the number of a month is in bounds. */
export const inMonths = ({ since }: Bounds, column: string): string =>
  since === undefined ? 'true' : `${column} >= month_number('${since}')`

/** Returns SQL: whether a column with a date is in a month that is in bounds. */
export const inDaysOfMonths = ({ since }: Bounds, column: string): string =>
  since === undefined ? 'true' : `${column} >= month_start(month_number('${since}'))`

/** A part of the data that one connection checks at a time, in bounded memory. */
export interface Part {
  table: string
  /** Reports all differences, and returns the number of rows. */
  check(client: ClientBase, onDifference: OnDifference): Promise<number>
}

/** Receives the numbers of checked parts and of all. */
export type OnProgress = (done: number, all: number) => void

/**
 * Runs the parts on several connections. Differences are reported in the order of the parts: a part waits with its first one
 * until those before it are complete.
 *
 * @returns the numbers of rows by table
 */
export async function runParts(
  clients: readonly ClientBase[],
  parts: readonly Part[],
  onDifference: OnDifference,
  onProgress: OnProgress = () => {},
): Promise<Record<string, number>> {
  const checked: Record<string, number> = {}
  for (const { table } of parts) checked[table] = 0
  const waiting = [...parts]
  let earlier = Promise.resolve()
  let done = 0
  const work = async (client: ClientBase) => {
    for (let part = waiting.shift(); part; part = waiting.shift()) {
      const { table, check } = part
      const before = earlier
      const checking = check(client, async difference => {
        await before
        await onDifference(difference)
      })
      earlier = Promise.all([before, checking]).then(() => {})
      // Whoever waits for it receives the error, if anybody does.
      earlier.catch(() => {})
      const rows = await checking
      checked[table] = checked[table]! + rows
      onProgress(++done, parts.length)
    }
  }
  await Promise.all(clients.map(work))
  return checked
}

/** Opens connections whose transactions see the snapshot of a transaction, and change nothing, for some work. */
export async function withSnapshot<Result>(
  pool: Pool,
  snapshot: string,
  connections: number,
  work: (clients: ClientBase[]) => Promise<Result>,
): Promise<Result> {
  const clients: PoolClient[] = []
  try {
    for (let i = 0; i < connections; i++) {
      const client = await pool.connect()
      clients.push(client)
      await client.query(`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET TRANSACTION SNAPSHOT '${snapshot}'`)
      // A part may wait for others.
      await client.query('SET LOCAL idle_in_transaction_session_timeout = 0')
    }
    return await work(clients)
  } finally {
    for (const client of clients) client.release(true)
  }
}

/** Returns the snapshot of a transaction, which others can use until it ends. */
export async function exportSnapshot(client: ClientBase): Promise<string> {
  const { rows } = await client.query<{ snapshot: string }>('SELECT pg_export_snapshot() AS snapshot')
  return rows[0]!.snapshot
}

/** Numbers of assets in a part. */
const BLOCK = 2048

const MAX_NUMBER = 2_147_483_647

/** Returns the ranges that begin with these numbers, ascending. They contain all numbers, as rows without an asset or company are differences. */
const rangesFrom = (numbers: readonly number[]): Range[] =>
  [0, ...numbers.slice(1)].map((first, i) => [first, (numbers[i + 1] ?? MAX_NUMBER + 1) - 1])

/** Returns the bounds of the parts by assets, of those by company, and of what is one part. */
export async function readBounds(
  client: ClientBase,
  since: string | undefined,
): Promise<Record<'assets' | 'companies' | 'nothing', Bounds[]>> {
  const { rows } = await client.query<{ blocks: number[]; companies: number[] }>(
    `SELECT ARRAY(SELECT DISTINCT number / ${BLOCK} * ${BLOCK} FROM assets ORDER BY 1) AS blocks, ARRAY(SELECT number FROM companies ORDER BY 1) AS companies`,
  )
  const { blocks, companies } = rows[0]!
  return {
    assets: rangesFrom(blocks).map(assets => ({ assets, since })),
    companies: rangesFrom(companies).map(companies => ({ companies, since })),
    nothing: [{ since }],
  }
}
