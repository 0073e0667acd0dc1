/** The route record of notes on the data. */
import * as filters from '../read/filter-params'
import * as params from '../read/params'
import { range } from '../read/params'
import type { RouteRecord } from '../record'
import { page } from '../shape/pages'

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
