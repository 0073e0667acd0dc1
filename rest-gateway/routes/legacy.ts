/** The legacy interface, frozen: its answers never change by a byte. */
import { type Envelope, merged } from '../envelopes'
import * as params from '../params'
import type { RouteRecord } from '../route'

/** The scope of the one-shot help for clients that move to ids. */
const LEGACY_SCOPE = 'partner:metrics:legacy:read'

const STATE =
  'asset: legacyAsset(id: $id) { asset_name: name center { lat lng } device_ids: deviceIds sensor_status: sensorStatus }'

interface Listed {
  id: number
  asset_id: string
}

/** The legacy ids alone; a reseller sees whose they are. */
const list: Envelope = {
  shape: (data, { key }) => (key.reseller ? data.assets : (data.assets as Listed[]).map(({ id }) => id)),
  schema: data => ({
    anyOf: [
      { type: 'array', items: { type: 'integer' } },
      { ...data.properties?.assets, description: "With a reseller's key." },
    ],
  }),
}

/** From legacy id to id. */
const map: Envelope = {
  shape: data => Object.fromEntries((data.assets as Listed[]).map(({ id, asset_id }) => [id, asset_id])),
  schema: () => ({ type: 'object', additionalProperties: { type: 'string' } }),
}

export const legacyRoutes: RouteRecord[] = [
  {
    path: '/v1/metrics/assets',
    operation: 'LegacyListAssets',
    summary: 'The legacy ids of all assets, ascending',
    parameters: [],
    query: 'query LegacyListAssets { assets: legacyAssets { id: legacyId asset_id: id name company } }',
    envelope: list,
  },
  {
    path: '/v1/metrics/assets/legacy-ids',
    operation: 'LegacyMapIds',
    summary: 'From each legacy id to the id of its asset',
    parameters: [],
    query: 'query LegacyMapIds { assets: legacyAssets { id: legacyId asset_id: id } }',
    envelope: map,
    scope: LEGACY_SCOPE,
  },
  {
    path: '/v1/metrics/assets/{id}',
    operation: 'LegacyReadDaily',
    summary: 'The impressions of an asset by day',
    parameters: [params.anyAssetId, params.start, params.end],
    query: `query LegacyReadDaily($id: ID!, $start: Date!, $end: Date!) {
      metrics: legacyMetrics(id: $id, fromDate: $start, toDate: $end) {
        analytics: daily { total average data: rows { date impressions } }
      }
      ${STATE}
    }`,
    envelope: merged('metrics', 'asset'),
    errors: ['INVALID_DATE_RANGE', 'RANGE_TOO_LARGE'],
  },
  {
    path: '/v1/metrics/assets/{id}/per-minute',
    operation: 'LegacyReadPerMinute',
    summary: 'The impressions of an asset on one day by minute',
    parameters: [params.anyAssetId, params.day],
    query: `query LegacyReadPerMinute($id: ID!, $date: Date!) {
      metrics: legacyMetrics(id: $id, fromDate: $date, toDate: $date) {
        analytics: finest { total average data: rows { time impressions } }
      }
      ${STATE}
    }`,
    envelope: merged('metrics', 'asset'),
  },
]
