/**
 * Days of assets that had other totals at an instant than now, and assets that had other installations or zone rules. The ledger has the
 * values before each later change; of several the first one counts.
 */
import { type Dates, dayNumber } from '../../calendar/local-days'
import type { ZoneRules } from '../../calendar/zone-rules'
import { inScope, type ScopedReader } from '../../postgres/scoped-reader'
import { buildStatement, knex, parameter } from '../statements'
import { firstOpenDay, type Instant } from './moment'

/** Returns SQL: what assets had until the first change after `:instant`. @param join SQL: restricts the assets of the rows `i` */
export const formerInstallations = (join = ''): string => `
  SELECT DISTINCT ON (i.asset) i.asset, i.company, i.installations, i.rules FROM installation_revisions i ${join}
  WHERE ${inScope('i.company')} AND i.revision > :instant::bigint ORDER BY i.asset, i.revision`

/**
 * Returns SQL: the values that days from `:from` to `:to` had at `:instant`, null for none, with the days since `:from`. Late days had none before
 * their first value, which their revision 0 puts before all others.
 *
 * @param assets SQL: joins the assets in question to restatements `r`, and to late days `l` as rows `a` with their numbers
 * @param more SQL: further rows
 */
export const formerDays = (assets: { ofSteps: string; ofLateDays: string }, more = ''): string => `
  SELECT DISTINCT ON (asset, day) asset, company, day, impressions, observed FROM (
    SELECT r.asset, r.company, r.date - :from::date AS day, r.revision, r.total_before AS impressions, r.observed_before AS observed
    FROM restatements r ${assets.ofSteps}
    WHERE ${inScope('r.company')} AND r.kind = 'impressions' AND r.revision > :instant::bigint
      AND r.date BETWEEN :from::date AND :to::date
    UNION ALL
    SELECT a.number, l.company, day, 0, NULL, NULL
    FROM late_days l ${assets.ofLateDays}
      CROSS JOIN generate_series(greatest(l.from_date, :from::date) - :from::date, least(l.to_date, :to::date) - :from::date) AS day
    WHERE ${inScope('l.company')} AND l.kind = 'impressions' AND l.revision > :instant::bigint
      AND l.to_date >= :from::date AND l.from_date <= :to::date
    ${more}
  ) AS steps ORDER BY asset, day, revision`

export interface FormerDay {
  /** The number of the asset. */
  asset: number
  /** The index of the day in the range. */
  day: number
  /** Null without counts. */
  impressions: number | null
  observed: number | null
}

interface FormerInstallations<Installation> {
  asset: number
  installations: Installation[]
  /** The number of the zone rules. */
  rules: number
}

/** The days and installations of assets that were others at an instant than now, in no order. */
export interface FormerState<Installation> {
  instant: Instant
  days: FormerDay[]
  installations: FormerInstallations<Installation>[]
}

const BY_ID = `JOIN (SELECT number, company FROM assets WHERE id = ANY (:ids::text[]) AND ${inScope('company')}) AS a ON`

const DAYS = formerDays({
  ofSteps: `${BY_ID} a.number = r.asset`,
  ofLateDays: `${BY_ID} a.company = l.company AND l.assets @> a.number`,
})

const values = (...names: string[]) => Object.fromEntries(names.map(name => [name, parameter(name)]))

type Parameters = Record<'ids' | 'from' | 'to' | 'instant', unknown>

const FORMER_DAYS = buildStatement<Parameters>(
  'former-days',
  knex
    .select('asset', 'day', 'impressions', 'observed')
    .from(knex.raw(`(${DAYS}) AS former`, values('ids', 'from', 'to', 'instant'))),
)

const FORMER_INSTALLATIONS = buildStatement<Parameters>(
  'former-installations',
  knex
    .select('asset', 'installations', 'rules')
    .from(knex.raw(`(${formerInstallations(`${BY_ID} a.number = i.asset`)}) AS former`, values('ids', 'instant'))),
)

/** Reads what assets had at an instant, by their ids. */
export async function readFormerState<Installation>(
  reader: ScopedReader,
  ids: readonly string[],
  [from, to]: Dates,
  instant: Instant,
): Promise<FormerState<Installation>> {
  const given = { ids, from, to, instant }
  const [days, installations] = await Promise.all([
    reader.read<FormerDay>(FORMER_DAYS, FORMER_DAYS.bindValues(given)),
    reader.read<FormerInstallations<Installation>>(FORMER_INSTALLATIONS, FORMER_INSTALLATIONS.bindValues(given)),
  ])
  return { instant, days, installations }
}

/** Returns rows of assets with the installations and zone rules of then. */
export function withFormerInstallations<Row extends { asset: number }, Installation>(
  assets: Row[],
  { installations }: FormerState<Installation>,
): Row[] {
  const former = new Map(installations.map(each => [each.asset, each]))
  return assets.map(asset => ({ ...asset, ...former.get(asset.asset) }))
}

interface Days {
  rules: ZoneRules
  totals: { impressions: Float64Array; observed: Int32Array }
}

/** Replaces the days that had other totals, and removes those that were not over. @param first the number of the first day of the range */
export function restoreDays(
  byNumber: ReadonlyMap<number, Days>,
  { days, instant }: FormerState<unknown>,
  first: number,
): void {
  for (const { asset, day, impressions, observed } of days) {
    const totals = byNumber.get(asset)?.totals
    if (!totals) continue
    totals.impressions[day] = impressions ?? 0
    totals.observed[day] = observed ?? 0
  }
  for (const { rules, totals } of byNumber.values()) {
    const open = Math.max(0, dayNumber(firstOpenDay(rules, instant)) - first)
    totals.impressions.fill(0, open)
    totals.observed.fill(0, open)
  }
}
