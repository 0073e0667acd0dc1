/** The route records of what explains numbers: notes, changes, and restatements. */
import * as filters from '../read/filter-params'
import * as params from '../read/params'
import { maxRange, range, rangeErrors } from '../read/params'
import type { RouteRecord } from '../record'
import { feed, page } from '../shape/pages'

export const noteRoutes: RouteRecord[] = [
  {
    path: '/v1/partner/notes',
    operation: 'ListNotes',
    tag: 'Notes',
    summary: 'List notes on the data',
    description: `Returns what readers of the data should know: one row for each note and asset that applies to days from \`from_date\` to \`to_date\`, sorted by asset, first day and id. \`from\` and \`to\` are local days of the asset, both inclusive; \`to\` is null where there is no end. \`caveat\`: read these days with care. \`break\`: days before \`from\` are not comparable with those from then on. \`unusable\`: counts of these days are set aside, and missing in all figures. A note on a sensor is listed for each asset on which the sensor was installed on days of both ranges, with the same id. The range may be of any length.`,
    parameters: [...range, params.limit, params.cursor, ...filters.assetFilters],
    query: `{
      notes(fromDate: $from_date, toDate: $to_date, limit: $limit, after: $cursor, filter: { ${filters.FILTER_FIELDS} }) {
        data: nodes { id asset_id: assetId sensor_id: sensorId from to kind text updated_at: updatedAt }
        has_more: hasMore last
      }
    }`,
    envelope: page('notes'),
    errors: ['INVALID_DATE_RANGE', 'NOT_FOUND'],
  },
]

export const changeRoutes: RouteRecord[] = [
  {
    path: '/v1/partner/changes',
    operation: 'ListChanges',
    tag: 'Changes',
    summary: 'List what has changed',
    description:
      'Returns the parts of the data that a copy has to read again. Without `cursor` and `since`, everything is listed once. Follow `pagination.cursor` until `has_more` is false, then store it: whenever you send it later, the response lists the changes since then. No change is missed; the same change can be listed more than once. Changes are merged by asset, kind and calendar month. For `impressions`, `origins` and `demographics`, read the days from `from_date` to `to_date` again; for `asset` and `sensors`, read the records again; for `notes`, which only `kinds` adds, read all notes of the asset again; `removed` means that the asset was deleted or left the scope of the key. A cursor belongs to its key and the rotations of it; another key can use it if it reads all companies of the cursor, and gets INVALID_CURSOR otherwise. An asset that was created again after its deletion is listed as `removed` first, so apply the rows in order. After a backup has been restored, a cursor from before gets RESYNC_REQUIRED: begin a new copy.',
    parameters: [params.limit, params.cursor, params.since, filters.changeKinds],
    query: `{
      changes(limit: $limit, after: $cursor, since: $since, kinds: $kinds) {
        data: nodes { asset_id: assetId kind from_date: fromDate to_date: toDate changed_at: changedAt }
        has_more: hasMore next
      }
    }`,
    envelope: feed('changes'),
    errors: ['RESYNC_REQUIRED'],
  },
  {
    path: '/v1/partner/restatements',
    operation: 'ListRestatements',
    tag: 'Changes',
    summary: 'List the restatements',
    description: `Returns each change of a total of a local day (impressions, origins or demographics) after the day was over and had had a value, by \`restated_at\`, asset, date and kind. A day is over six hours after its end at the asset: what changes before that is no restatement. \`previous_intervals\` and \`current_intervals\` are the native intervals with a count, which tell a completed day from a corrected one. A deleted asset has no restatements, and days that were deleted by retention have none. ${maxRange()}`,
    parameters: [...range, params.restatedSince, params.limit, params.cursor, ...filters.assetFilters],
    query: `{
      restatements(fromDate: $from_date, toDate: $to_date, since: $since, limit: $limit, after: $cursor, filter: {
        ${filters.FILTER_FIELDS}
      }) {
        data: nodes {
          asset_id: assetId kind date previous current previous_intervals: previousIntervals
          current_intervals: currentIntervals restated_at: restatedAt reason note final
        }
        has_more: hasMore last
      }
    }`,
    envelope: page('restatements'),
    errors: [...rangeErrors, 'NOT_FOUND'],
  },
]
