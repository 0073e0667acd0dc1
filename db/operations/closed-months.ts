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
  /** Goes back to before the month, for this reason. */
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
 * Closes a month and all before it, or goes back to before it. A company whose date is already there is left as it is.
 *
 * @returns the companies, by name
 * @throws OperatorError UNKNOWN_COMPANY; MONTH_NOT_OVER where a day of the month is not over six hours after its end
 */
export function closeMonth(pool: Pool, request: CloseRequest, onWait?: OnWait): Promise<ClosedCompany[]> {
  const { month, company, undo } = request
  const run = async (client: ClientBase) => {
    const companies = company === undefined ? null : await findNumbers(client, 'companies', [company])
    if (!undo) await checkOver(client, month, companies)
    const { rows } = await client.query<ClosedCompany>(UPDATE, [`${month}-01`, companies, undo !== undefined])
    const changed = rows.filter(({ previous, final_through }) => previous !== final_through)
    const details = { month, ...(company !== undefined && { company }), ...(undo && { undo: true, ...undo }) }
    if (changed.length > 0) {
      await recordOperation(client, { command: 'close', details, figures: { companies: changed.length } })
    }
    return { commit: changed.length > 0, result: rows }
  }
  return inTransaction(pool, run, onWait)
}

/** Parameters: the first day of the month, the companies or null, and whether to go back to before it. */
const UPDATE = `
WITH chosen AS (
  SELECT number, final_through AS previous,
    CASE WHEN $3 THEN least(final_through, $1::date - 1)
      ELSE greatest(final_through, ($1::date + interval '1 month')::date - 1) END AS final_through
  FROM companies WHERE $2::integer[] IS NULL OR number = ANY ($2)
), changed AS (
  UPDATE companies c SET final_through = n.final_through FROM chosen n
  WHERE c.number = n.number AND c.final_through IS DISTINCT FROM n.final_through AND NOT ($3 AND c.final_through IS NULL)
)
SELECT c.id, c.name, previous, CASE WHEN $3 AND previous IS NULL THEN NULL ELSE n.final_through END AS final_through
FROM chosen n JOIN companies c USING (number) ORDER BY c.name`

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
