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

interface RunOptions {
  dryRun?: boolean
  /** The closing that was confirmed, if it was; another one is not executed. */
  preview?: Closing | undefined
  onWait?: OnWait
}

/** Figures of the local days that become final, or are so no longer. */
interface Figures {
  /** Days of assets with impressions. */
  days: number
  /** Days of assets on which a sensor was installed, and nothing was counted. */
  missing_days: number
}

/** A company whose date was changed, or would have been. */
export interface ClosedCompany extends Figures {
  id: string
  name: string
  /** `YYYY-MM-DD`; null without a closed month. */
  previous: string | null
  final_through: string | null
  /** The first of these days on which a sensor was installed; null without any. */
  from: string | null
  /** Assets with a sensor on these days. */
  assets: number
}

interface ClosedAsset extends Figures {
  company: string
  asset_id: string
  asset: string
}

export interface Closing {
  companies: ClosedCompany[]
  /** Assets with missing days, those that lack most first. */
  missing: ClosedAsset[]
}

/**
 * Closes a month and all before it, or takes that back: final is then what was final before. A company of which a later month is
 * closed is left as it is, and so is one of which no month is closed where another's close is taken back.
 *
 * @returns the companies, by name
 * @throws OperatorError UNKNOWN_COMPANY; MONTH_NOT_OVER where a day of the month is not over six hours after its end; NOT_LAST_CLOSED
 *   where the month that is taken back is of no company the last one that was closed; DATA_CHANGED where it is not the preview
 */
export function closeMonth(
  pool: Pool,
  { month, company, undo }: CloseRequest,
  { dryRun = false, preview, onWait }: RunOptions,
): Promise<Closing> {
  const run = async (client: ClientBase) => {
    const companies = company === undefined ? null : await findNumbers(client, 'companies', [company])
    if (!undo) await checkOver(client, month, companies)
    const { rows } = await client.query<Pick<ClosedCompany, 'id' | 'name' | 'previous' | 'final_through'>>(
      undo ? UNDO : CLOSE,
      [`${month}-01`, companies],
    )
    const changed = rows.filter(({ previous, final_through }) => previous !== final_through)
    if (undo && changed.length === 0) throw notLastClosed(month, rows)
    const { rows: figures } = await client.query(FIGURES, [JSON.stringify(changed)])
    const ofCompanies = new Map(figures.filter(({ asset_id }) => asset_id === null).map(sums => [sums.company, sums]))
    const closing: Closing = {
      companies: rows.map(company => {
        const { from = null, assets = 0, days = 0, missing_days = 0 } = ofCompanies.get(company.name) ?? {}
        return { ...company, from, assets, days, missing_days }
      }),
      missing: figures.flatMap(({ from: _, assets: __, ...asset }) => (asset.asset_id === null ? [] : [asset])),
    }
    if (preview && JSON.stringify(closing) !== JSON.stringify(preview)) {
      throw new OperatorError('DATA_CHANGED', 'the data changed since the preview: run the command again')
    }
    const details = { month, ...(company !== undefined && { company }), ...(undo && { undo: true, ...undo }) }
    if (changed.length > 0) {
      await recordOperation(client, { command: 'close', details, figures: { companies: changed.length } })
    }
    return { commit: changed.length > 0 && !dryRun, result: closing }
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

/** Parameter: the companies. A row for each, and for each asset with missing days; a day with counts has a sensor. */
const FIGURES = `
SELECT company, asset_id, asset, min(f.from) AS from, count(*) AS assets, sum(days) AS days, sum(missing_days) AS missing_days
FROM (
  SELECT c.name AS company, a.id AS asset_id, a.name AS asset, i.from, coalesce(m.days, 0)::integer AS days,
    greatest(i.days - coalesce(m.days, 0), 0)::integer AS missing_days
  FROM json_to_recordset($1) AS closed (id text, previous date, final_through date)
    CROSS JOIN LATERAL (
      SELECT CASE WHEN previous < final_through THEN previous WHEN final_through < previous THEN final_through END AS after,
        greatest(previous, final_through) AS through
    ) AS r
    JOIN companies c USING (id) JOIN assets a ON a.company = c.number
    CROSS JOIN LATERAL (
      SELECT min(lower(days)) AS from, sum(upper(days) - lower(days)) AS days
      FROM (
        SELECT unnest(range_agg(daterange(after, through, '(]')
          * daterange(local_time(a.rules, installed_at)::date, local_time(a.rules, removed_at - interval '1 millisecond')::date, '[]'))) AS days
        FROM installations WHERE asset = a.number
      ) AS installed
    ) AS i
    LEFT JOIN LATERAL (
      SELECT sum(days_with_data) AS days FROM asset_months
      WHERE asset = a.number AND kind = 'impressions' AND month <= month_number(through)
        AND (after IS NULL OR month > month_number(after))
    ) AS m ON true
  WHERE i.days > 0
) AS f GROUP BY GROUPING SETS (company, (company, asset_id, asset)) HAVING asset_id IS NULL OR sum(missing_days) > 0
ORDER BY missing_days DESC, asset_id`

const MAX_NAMED = 10

function notLastClosed(month: string, companies: readonly Pick<ClosedCompany, 'name' | 'previous'>[]): OperatorError {
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
  const { rows } = await client.query<{ name: string; zone: string; over: string }>(
    `SELECT DISTINCT ON (c.name) c.name, coalesce(z.zone, 'UTC') AS zone, ($1::date + interval '1 month')::date AS over
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
    `${month} cannot be closed for ${open.name}: it is over on ${open.over} at the earliest, six hours after its last day has ended in ${open.zone}`,
  )
}
