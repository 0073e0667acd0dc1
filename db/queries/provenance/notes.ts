/**
 * Reads notes on the data of assets: one row per note and asset. What is set aside is a note by itself, and so is the public reason of a
 * restatement.
 */
import type { NoteKind } from '../../../schema/generated'
import { COMPANY_SCOPE, type ScopedReader } from '../../postgres/scoped-reader'
import { type AssetFilter, MATCHES } from '../asset-filters'
import { readRows } from '../statements'

export interface NoteRow {
  id: string
  assetId: string
  sensorId: string | null
  from: string
  to: string | null
  kind: NoteKind
  text: string
  internal: boolean
  updatedAt: string
}

/** A place in the order of notes: by asset, first day and id. */
export type NotePlace = Pick<NoteRow, 'assetId' | 'from' | 'id'>

interface Selection {
  from: string
  to: string
  /** Whether internal notes are read. */
  internal: boolean
  /** The most notes of each asset. */
  limit: number
}

/**
 * The first notes on an asset `a` that apply to days of a range, after a place. All of it is looked up by the asset and its installations,
 * so that no plan reads notes on other assets.
 */
const NOTES = `LATERAL (
  SELECT n.* FROM (
    SELECT id, NULL::integer AS sensor, from_date, to_date, kind, text, is_internal, updated_at
    FROM notes n WHERE n.asset = a.number AND n.sensor IS NULL AND n.from_date >= CASE WHEN a.id > :afterAsset THEN '-infinity' ELSE :afterDate::date END
    UNION ALL
    SELECT n.id, n.sensor, n.from_date, n.to_date, n.kind, n.text, n.is_internal, n.updated_at
    FROM (
      SELECT sensor, local_time(a.rules, installed_at)::date AS first, local_time(a.rules, removed_at - interval '1 millisecond')::date AS last
      FROM installations WHERE asset = a.number OFFSET 0
    ) AS i JOIN notes n ON n.sensor = i.sensor
    WHERE greatest(n.from_date, :from::date, i.first) <= least(n.to_date, :to::date, i.last)
    GROUP BY n.id
    UNION ALL
    SELECT 'u' || left(md5(concat_ws(' ', a.id, (extract(epoch FROM from_time) * 1000000)::bigint, number)), 23), sensor, local_time(a.rules, first)::date,
      local_time(a.rules, last - interval '1 millisecond')::date, 'unusable', text, false, created_at
    FROM (
      SELECT s.sensor, s.from_time, s.created_at, CASE WHEN s.is_public THEN s.reason ELSE 'Set aside.' END AS text,
        min(greatest(s.from_time, i.installed_at)) AS first, max(least(s.to_time, i.removed_at)) AS last,
        /* Numbers of this asset alone: others would show how much other companies set aside. */
        row_number() OVER (PARTITION BY s.from_time ORDER BY s.id) AS number
      FROM installations i JOIN set_asides s ON s.sensor = i.sensor
        AND tstzrange(i.installed_at, i.removed_at) && tstzrange(s.from_time, s.to_time)
      WHERE i.asset = a.number AND s.from_time < (:to::date + 2)::timestamp AT TIME ZONE 'UTC'
      GROUP BY s.id
    ) AS s WHERE last > (:from::date - 2)::timestamp AT TIME ZONE 'UTC'
    UNION ALL
    SELECT 'r' || left(md5(concat_ws(' ', a.id, v.mark)), 23), NULL, min(r.date), max(r.date), 'caveat', v.note, false,
      date_trunc('milliseconds', v.committed_at)
    FROM former_totals r JOIN transactions v ON v.commit_number = r.until AND v.note_is_public AND v.reason <> 'set_aside'
    WHERE r.asset = a.number AND v.note IS NOT NULL AND r.total IS DISTINCT FROM r.next_total
    GROUP BY v.id
  ) AS n
  WHERE n.from_date <= :to::date AND coalesce(n.to_date, 'infinity') >= :from::date AND (:internal::boolean OR NOT n.is_internal) AND (a.id > :afterAsset OR (n.from_date, n.id) > (:afterDate::date, :afterId))
  ORDER BY n.from_date, n.id LIMIT :limit
) AS n`

/** A sensor is named to its company alone: the feed tells followers of a company when that changes. */
const COLUMNS = `n.id, a.id AS "assetId", (
    SELECT s.id FROM sensors s WHERE s.number = n.sensor AND s.company = a.company) AS "sensorId",
  n.from_date AS "from", n.to_date AS "to", n.kind, n.text, n.is_internal AS internal, n.updated_at AS "updatedAt"`

const PAGE = `
SELECT page.* FROM unnest(${COMPANY_SCOPE}) AS scope (company) CROSS JOIN LATERAL (
  SELECT ${COLUMNS} FROM assets a CROSS JOIN ${NOTES}
  WHERE a.company >= scope.company AND a.company <= scope.company AND a.id >= :afterAsset AND ${MATCHES}
  ORDER BY a.company, a.id, n.from_date, n.id LIMIT :limit
) AS page ORDER BY "assetId", "from", page.id LIMIT :limit`

/** Returns up to `limit` notes on assets that match a filter, after a place; from the first one if that is undefined. */
export function readNotes(
  reader: ScopedReader,
  filter: AssetFilter,
  selection: Selection,
  after: NotePlace | undefined,
): Promise<NoteRow[]> {
  const { assetId = '', from = '-infinity', id = '' } = after ?? {}
  const parameters = { ...filter, ...selection, afterAsset: assetId, afterDate: from, afterId: id }
  return readRows(reader, 'notes', () => PAGE, parameters)
}
