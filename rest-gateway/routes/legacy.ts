/** The route records of the legacy interface, which is frozen: response bodies never change. */

import * as params from '../read/params'
import type { Envelope, RouteRecord } from '../record'
import { preceded } from '../shape/envelopes'

/** Required for the map from legacy ids to asset ids. */
const LEGACY_SCOPE = 'partner:metrics:legacy:read'

const DESCRIPTION =
  'asset: legacyAsset(id: $id) { asset_name: name center { lat lng } device_ids: deviceIds sensor_status: sensorStatus }'

const WITH_ANALYTICS = preceded('analytics', ['metrics', 'analytics'], 'asset')

interface LegacyAsset {
  id: number
  asset_id: string
}

/** The legacy ids; for a reseller's key, one row per asset. */
const list: Envelope = {
  shape: ({ assets }, _, key) =>
    key.reseller ? (assets as LegacyAsset[]) : (assets as LegacyAsset[]).map(({ id }) => id),
  schema: data => ({
    description: "The legacy ids; for a reseller's key, one row per asset.",
    anyOf: [
      { type: 'array', items: { type: 'integer' }, description: 'Legacy ids, ascending.' },
      { ...data.properties?.assets, description: "The response for a reseller's key." },
    ],
  }),
}

/** Asset ids by legacy id. */
const map: Envelope = {
  shape: data => Object.fromEntries((data.assets as LegacyAsset[]).map(({ id, asset_id }) => [id, asset_id])),
  schema: () => ({
    type: 'object',
    description: 'Asset ids by legacy id.',
    additionalProperties: { type: 'string', description: "The asset's id." },
  }),
}

export const legacyRoutes: RouteRecord[] = [
  {
    path: '/v1/metrics/assets',
    operation: 'LegacyListAssets',
    tag: 'Legacy',
    summary: 'List legacy ids',
    description:
      "Returns the legacy ids of all assets in scope, ascending. For a reseller's key, returns one row per asset with id, name and company. Replaced by `/v1/partner/assets`.",
    parameters: [],
    query: '{ assets: legacyAssets { id: legacyId asset_id: id name company } }',
    envelope: list,
  },
  {
    path: '/v1/metrics/assets/legacy-ids',
    operation: 'LegacyMapIds',
    tag: 'Legacy',
    summary: 'Get the map from legacy ids to asset ids',
    description:
      'Returns the asset id for each legacy id, for the migration to the partner interface. Ids never change, so one call is enough.',
    parameters: [],
    query: '{ assets: legacyAssets { id: legacyId asset_id: id } }',
    envelope: map,
    scope: LEGACY_SCOPE,
  },
  {
    path: '/v1/metrics/assets/{id}',
    operation: 'LegacyReadDaily',
    tag: 'Legacy',
    summary: 'Get legacy metrics by day',
    description:
      "Returns impressions by day with the asset's name, location, sensors and their worst status. Replaced by `/v1/partner/assets/{id}/impressions/daily` and `summary`.",
    parameters: [params.anyAssetId, params.start, params.end],
    query: `{
      metrics: legacyMetrics(id: $id, fromDate: $start, toDate: $end) {
        analytics: daily { total average data: rows { date impressions } }
      }
      ${DESCRIPTION}
    }`,
    envelope: WITH_ANALYTICS,
    errors: ['INVALID_DATE_RANGE', 'RANGE_TOO_LARGE'],
  },
  {
    path: '/v1/metrics/assets/{id}/per-minute',
    operation: 'LegacyReadPerMinute',
    tag: 'Legacy',
    summary: 'Get legacy metrics by minute',
    description:
      'Returns impressions of one day by minute, or by the finest grain that the sensors of the asset deliver. Replaced by `/v1/partner/assets/{id}/impressions/timeseries` with `grain=minute`.',
    parameters: [params.anyAssetId, params.day],
    query: `{
      metrics: legacyMetrics(id: $id, fromDate: $date, toDate: $date) {
        analytics: finest { total average data: rows { time impressions } }
      }
      ${DESCRIPTION}
    }`,
    envelope: WITH_ANALYTICS,
  },
]
