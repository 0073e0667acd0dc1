/** Closes months: a date per company up to which totals are final. */
import type { ClientBase } from 'pg'
import type { OnWait } from '../locks'
import { OperatorError } from '../operator-error'
import type { Pool } from '../postgres/pool'
import { findNumbers } from '../references'
import { inTransaction } from '../transaction'
import { recordOperation } from './record'

interface CloseRequest {
  /** `YYYY-MM` */
  month: string
  /** Id or name; all companies without one. */
  company?: string
  /** Takes the close of the month back, for this reason. */
  undo?: { reason: string }
}

/** A company whose date was changed, or would have been. */
export interface ClosedCompany {
  id: string
  name: string
  /** `YYYY-MM-DD`; null without a closed month. */
  previous: string | null
  final_through: string | null
}

/**
 * Closes a month and all before it, or takes that back: final is then what was final before. A company of which a later month is
 * closed is left as it is, and so is one of which no month is closed where another's close is taken back.
 *
 * @returns the companies, by name
 * @throws OperatorError UNKNOWN_COMPANY; MONTH_NOT_OVER where a day of the month is not over six hours after its end; NOT_LAST_CLOSED
 *   where the month that is taken back is of no company the last one that was closed
 */
export function closeMonth(pool: Pool, request: CloseRequest, onWait?: OnWait): Promise<ClosedCompany[]> {
  const { month, company, undo } = request
  const run = async (client: ClientBase) => {
    const companies = company === undefined ? null : await findNumbers(client, 'companies', [company])
    if (!undo) await checkOver(client, month, companies)
    const { rows } = await client.query<ClosedCompany>(undo ? UNDO : CLOSE, [`${month}-01`, companies])
    const changed = rows.filter(({ previous, final_through }) => previous !== final_through)
    if (undo && changed.length === 0) throw notLastClosed(month, rows)
    const details = { month, ...(company !== undefined && { company }), ...(undo && { undo: true, ...undo }) }
    if (changed.length > 0) {
      await recordOperation(client, { command: 'close', details, figures: { companies: changed.length } })
    }
    return { commit: changed.length > 0, result: rows }
  }
  return inTransaction(pool, run, onWait)
}

const LAST_DAY = "($1::date + interval '1 month')::date - 1"

/** Returns SQL: an update. Parameters: the first day of the month, and the companies or null. */
const update = (values: string, condition: string): string => `
WITH changed AS (
  UPDATE companies SET ${values} WHERE ($2::integer[] IS NULL OR number = ANY ($2)) AND ${condition}
  RETURNING number, final_through
)
SELECT c.id, c.name, c.final_through AS previous,
  CASE WHEN n.number IS NULL THEN c.final_through ELSE n.final_through END AS final_through
FROM companies c LEFT JOIN changed n USING (number) WHERE $2::integer[] IS NULL OR c.number = ANY ($2) ORDER BY c.name`

const CLOSE = update(
  `final_through = ${LAST_DAY}, closings = closings || (${LAST_DAY})`,
  `(final_through IS NULL OR final_through < ${LAST_DAY})`,
)

const UNDO = update(
  'final_through = closings[cardinality(closings) - 1], closings = closings[:cardinality(closings) - 1]',
  `final_through = ${LAST_DAY}`,
)

const MAX_NAMED = 10

function notLastClosed(month: string, companies: readonly ClosedCompany[]): OperatorError {
  const named = companies
    .slice(0, MAX_NAMED)
    .map(({ name, previous }) =>
      previous ? `of ${name} it is ${previous.slice(0, 7)}` : `of ${name} no month is closed`,
    )
  const more = companies.length > MAX_NAMED ? [`there are ${companies.length - MAX_NAMED} more companies`] : []
  return new OperatorError(
    'NOT_LAST_CLOSED',
    `${month} is not the last closed month: ${[...named, ...more].join(', ') || 'there is no company'}`,
  )
}

/** @throws OperatorError MONTH_NOT_OVER; a company without assets has the days of UTC */
async function checkOver(client: ClientBase, month: string, companies: number[] | null): Promise<void> {
  const { rows } = await client.query<{ name: string; zone: string }>(
    `SELECT DISTINCT ON (c.name) c.name, coalesce(z.zone, 'UTC') AS zone
     FROM companies c LEFT JOIN (SELECT DISTINCT company, rules FROM assets) AS a ON a.company = c.number
       LEFT JOIN zone_rules z ON z.number = a.rules
     WHERE ($2::integer[] IS NULL OR c.number = ANY ($2))
       AND first_open_day(z.number, now()) < $1::date + interval '1 month'
     ORDER BY c.name, zone LIMIT 1`,
    [`${month}-01`, companies],
  )
  const [open] = rows
  if (!open) return
  throw new OperatorError(
    'MONTH_NOT_OVER',
    `${month} cannot be closed for ${open.name}: it is over six hours after its last day has ended in ${open.zone}`,
  )
}
