/** Tells the ledger why a transaction changes data: the database writes it before the commit (`record_history`). */
import type { ClientBase } from 'pg'
import type { RestatementReason } from '../../schema/generated'
import { countOf } from '../count-of'

/** Why a transaction changes counts. `unrecorded`: the ledger is not written. */
export type ChangeReason = RestatementReason | 'unrecorded'

/** The options of commands that change counts. */
export interface RestatementOptions {
  reason?: string
  /** Whether partners read it. */
  public?: boolean
  /** Whether totals of closed months may change. */
  restate?: boolean
}

/** To be called before the first change of the transaction. */
export async function stateReason(
  client: ClientBase,
  reason: ChangeReason,
  { reason: note = '', public: isPublic = false, restate = false }: RestatementOptions = {},
): Promise<void> {
  await client.query(
    `SELECT set_config('partner_metrics.reason', $1, true), set_config('partner_metrics.note', $2, true),
       set_config('partner_metrics.note_is_public', $3, true), set_config('partner_metrics.restate', $4, true)`,
    [reason, note, String(isPublic), String(restate)],
  )
}

/** An asset with days of closed months whose totals would change. */
interface ClosedDays {
  asset: string
  kind: string
  from: string
  to: string
  days: number
}

const MAX_NAMED = 10

/** Returns why the database refused a change of closed months. @param detail of its error */
export function describeClosedDays(detail: string): string {
  const closed: ClosedDays[] = JSON.parse(detail)
  const named = closed.slice(0, MAX_NAMED).map(({ asset, kind, from, to, days }) => {
    const range = from === to ? from : `${days === 1 ? '' : `${days} days `}from ${from} to ${to}`
    return `${kind} of ${asset} (${range})`
  })
  const more = closed.length > MAX_NAMED ? ` and ${countOf(closed.length - MAX_NAMED, 'more asset')}` : ''
  return (
    `totals of closed months would change: ${named.join(', ')}${more}; ` +
    "--restate --reason 'TEXT' changes them, and the ledger shows it"
  )
}

/** A day whose total is greater than the database stores. */
interface LargeTotal {
  asset: string
  kind: string
  date: string
  total: number
}

/** Returns why the database refused totals of days. @param detail of its error */
export function describeLargeTotals(detail: string): string {
  const [first, ...others]: LargeTotal[] = JSON.parse(detail)
  const { asset, kind, date, total } = first!
  const more = others.length > 0 ? `, and on ${countOf(others.length, 'other day')}` : ''
  return `the total of ${kind} of ${asset} on ${date} would be ${total}${more}; the greatest total of a day is 2147483647`
}

/**
 * Refreshes what derives from the changes of a transaction that will be rolled back, if they may change a closed month, and takes it
 * back.
 *
 * @throws a database error, which `toFileError` explains, when the commit would be refused
 */
export async function checkClosedMonths(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ needed: boolean }>(`SELECT EXISTS (
    SELECT FROM touched t JOIN companies c ON c.number = t.company WHERE month_start(t.month) <= c.final_through) AS needed`)
  if (!rows[0]?.needed) return
  await client.query('SAVEPOINT refresh; SET CONSTRAINTS ALL IMMEDIATE')
  await client.query('ROLLBACK TO refresh')
}
