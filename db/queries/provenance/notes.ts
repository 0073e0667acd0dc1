/**
 * Reads notes on the data of assets: one row per note and asset. What is set aside is a note by itself, and so is the public reason of a
 * restatement.
 */
import type { NoteKind } from '../../../schema/generated'
import type { Dates } from '../../calendar/local-days'
import { inScope, type ScopedReader, type Statement } from '../../postgres/scoped-reader'
import { type AssetFilter, whereMatches } from '../asset-filters'
import { buildStatement, knex, parameter } from '../statements'

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

/** Notes that apply to days of a range: each on an asset, with its sensor if it has one. An internal note is one if `internal`. */
const NOTES = (from: string, to: string, internal: string): string => `(
  SELECT n.id, n.asset, NULL::integer AS sensor, n.from_date, n.to_date, n.kind, n.text, n.is_internal, n.updated_at
  FROM notes n
  WHERE n.asset IS NOT NULL AND n.from_date <= ${to} AND coalesce(n.to_date, 'infinity') >= ${from}
    AND (${internal} OR NOT n.is_internal)
  UNION ALL
  SELECT n.id, i.asset, n.sensor, n.from_date, n.to_date, n.kind, n.text, n.is_internal, n.updated_at
  FROM notes n JOIN installations i ON i.sensor = n.sensor JOIN assets a ON a.number = i.asset
  WHERE greatest(n.from_date, ${from}, local_date(a.rules, i.installed_at))
      <= least(n.to_date, ${to}, local_date(a.rules, i.removed_at - interval '1 millisecond'))
    AND (${internal} OR NOT n.is_internal)
  GROUP BY n.id, i.asset
  UNION ALL
  SELECT 'u' || left(md5(name), 23), asset, sensor, first, last, 'unusable', text, false, created_at
  FROM (
    SELECT i.asset, s.sensor, s.created_at, CASE WHEN s.is_public THEN s.reason ELSE 'Set aside.' END AS text,
      min(local_date(a.rules, greatest(s.from_time, i.installed_at))) AS first,
      max(local_date(a.rules, least(s.to_time, i.removed_at) - interval '1 millisecond')) AS last,
      -- Made of data of the asset alone: other numbers would show how much other companies set aside.
      concat_ws(' ', a.id, to_microseconds(s.from_time), row_number() OVER (PARTITION BY i.asset, s.from_time ORDER BY s.id)) AS name
    FROM set_asides s JOIN installations i ON i.sensor = s.sensor
        AND tstzrange(i.installed_at, i.removed_at) && tstzrange(s.from_time, s.to_time)
      JOIN assets a ON a.number = i.asset
    GROUP BY s.id, i.asset, a.id
  ) AS s
  WHERE first <= ${to} AND last >= ${from}
  UNION ALL
  SELECT 'r' || left(md5(concat_ws(' ', a.id, r.revision)), 23), r.asset, NULL, min(r.date), max(r.date), 'caveat', v.note, false,
    date_trunc('milliseconds', to_timestamp(r.revision / 1e6))
  FROM restatements r JOIN revisions v ON v.number = r.revision AND v.note_is_public AND v.reason <> 'set_aside'
    JOIN assets a ON a.number = r.asset
  WHERE v.note IS NOT NULL AND r.total_before IS DISTINCT FROM r.total_after
  GROUP BY r.asset, a.id, r.revision, v.note HAVING min(r.date) <= ${to} AND max(r.date) >= ${from}
)`

const COLUMNS = `n.id, a.id AS "assetId", s.id AS "sensorId", n.from_date AS "from", n.to_date AS "to", n.kind, n.text,
  n.is_internal AS internal, n.updated_at AS "updatedAt"`

/** A sensor is named to its company alone: the feed tells followers of a company when that changes. */
const JOINS = 'JOIN assets a ON a.number = n.asset LEFT JOIN sensors s ON s.number = n.sensor AND s.company = a.company'

/** The place of a row in the order of notes, as text. */
const PLACE = `concat_ws(' ', a.id, n.from_date, n.id) COLLATE "C"`

const PAGE = buildStatement<
  AssetFilter & { from: string; to: string; internal: boolean; after: string; limit: number }
>(
  'notes',
  knex
    .select(knex.raw(`${COLUMNS}, ${PLACE} AS place, count(*) OVER ()::integer AS remaining`))
    .from(
      knex.raw(`${NOTES(':from::date', ':to::date', ':internal::boolean')} AS n ${JOINS}`, {
        from: parameter('from'),
        to: parameter('to'),
        internal: parameter('internal'),
      }),
    )
    .whereRaw(`${inScope('a.company')} AND ${PLACE} > :after`, { after: parameter('after') })
    .modify(whereMatches)
    .orderByRaw('place LIMIT :limit', { limit: parameter('limit') }),
)

const OF_MANY: Statement = {
  name: 'notes-of-many',
  text: `
SELECT ${COLUMNS}
FROM unnest($1::text[]) AS asset (id) JOIN assets x ON x.id = asset.id CROSS JOIN LATERAL (
  SELECT * FROM ${NOTES('$2::date', '$3::date', '$4::boolean')} AS n WHERE n.asset = x.number
  ORDER BY n.from_date, n.id LIMIT $5
) AS n ${JOINS}
WHERE ${inScope('a.company')} AND ${inScope('x.company')}
ORDER BY ${PLACE}`,
}

/** A note with its place in the order of notes, and the number of notes from it on before the page is cut. */
type PlacedNote = NoteRow & { place: string; remaining: number }

/** Returns up to `limit` notes on assets that match a filter, after the place `after` ('' for the first page). */
export function readNotes(
  reader: ScopedReader,
  filter: AssetFilter,
  [from, to]: Dates,
  internal: boolean,
  after: string,
  limit: number,
): Promise<PlacedNote[]> {
  return reader.read(PAGE, PAGE.bindValues({ ...filter, from, to, internal, after, limit }))
}

/** The most notes of one asset. */
const MAX_OF_ASSET = 200

/** Returns the notes on several assets, by asset and first day. */
export const readNotesOfMany = (
  reader: ScopedReader,
  assetIds: readonly string[],
  [from, to]: Dates,
  internal: boolean,
): Promise<NoteRow[]> => reader.read(OF_MANY, [assetIds, from, to, internal, MAX_OF_ASSET])
