/** The legacy interface, frozen: its answers never change by a byte. */
import { type Envelope, merged } from './envelopes'
import * as params from './params'
import type { RouteRecord } from './route'

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
  shape: (data, _, key) => (key.reseller ? data.assets : (data.assets as Listed[]).map(({ id }) => id)),
  schema: data => ({
    description: "The legacy ids; with a reseller's key a row an asset.",
    anyOf: [
      { type: 'array', items: { type: 'integer' }, description: 'Legacy ids, ascending.' },
      { ...data.properties?.assets, description: "With a reseller's key." },
    ],
  }),
}

/** From legacy id to id. */
const map: Envelope = {
  shape: data => Object.fromEntries((data.assets as Listed[]).map(({ id, asset_id }) => [id, asset_id])),
  schema: () => ({
    type: 'object',
    description: 'By legacy id, the id of the asset.',
    additionalProperties: { type: 'string', description: "The asset's id." },
  }),
}

export const legacyRoutes: RouteRecord[] = [
  {
    path: '/v1/metrics/assets',
    operation: 'LegacyListAssets',
    tag: 'Legacy',
    summary: 'The legacy ids of all assets, ascending',
    description:
      "The bare ids; a reseller's key gets a row an asset, with its id, name and company. Takes its place: `/v1/partner/assets`.",
    parameters: [],
    query: 'query LegacyListAssets { assets: legacyAssets { id: legacyId asset_id: id name company } }',
    envelope: list,
  },
  {
    path: '/v1/metrics/assets/legacy-ids',
    operation: 'LegacyMapIds',
    tag: 'Legacy',
    summary: 'From each legacy id to the id of its asset',
    description:
      'For moving to the partner interface: ids do not change, so that one call is enough. The key needs a scope of its own.',
    parameters: [],
    query: 'query LegacyMapIds { assets: legacyAssets { id: legacyId asset_id: id } }',
    envelope: map,
    scope: LEGACY_SCOPE,
  },
  {
    path: '/v1/metrics/assets/{id}',
    operation: 'LegacyReadDaily',
    tag: 'Legacy',
    summary: 'The impressions of an asset by day',
    description:
      "With the asset's name, place, sensors and their worst state. Take its place: `/v1/partner/assets/{id}/impressions/daily` and `summary`.",
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
    tag: 'Legacy',
    summary: 'The impressions of an asset on one day by minute',
    description:
      'Where an asset has no minutes, its finest grain. Takes its place: `/v1/partner/assets/{id}/impressions/timeseries` with `grain=minute`.',
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
