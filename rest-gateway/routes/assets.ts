/** The route records of assets, their demographics, and sensors. */
import { ATTRIBUTES } from '../../db/assets/attributes'
import { MIN_IMPRESSIONS } from '../../resolvers/demographics'
import * as filters from '../read/filter-params'
import * as params from '../read/params'
import { maxRange, range, rangeErrors } from '../read/params'
import type { RouteRecord } from '../record'
import { at } from '../shape/envelopes'
import { page } from '../shape/pages'
import { selectFields } from './impressions'

const ASSET = `
fragment Asset on Asset { ${selectFields(ATTRIBUTES.map(({ field }) => field))} }`

export const assetRoutes: RouteRecord[] = [
  {
    path: '/v1/partner/assets',
    operation: 'ListAssets',
    tag: 'Assets',
    summary: 'List assets',
    description:
      'Returns all assets in scope, by ascending id. To get the next page, pass `pagination.cursor` as `cursor`; stop when `has_more` is false. Pages never skip or repeat an asset, even if assets are added in the meantime.',
    parameters: [params.limit, params.cursor, ...filters.assetFilters, params.updatedSince],
    query: `{
      assets(limit: $limit, after: $cursor, filter: { ${filters.FILTER_FIELDS}, updatedSince: $updated_since }) {
        data: nodes { ...Asset } has_more: hasMore last
      }
    } ${ASSET}`,
    envelope: page('assets'),
  },
  {
    path: '/v1/partner/assets/{id}',
    operation: 'ReadAsset',
    tag: 'Assets',
    summary: 'Get an asset',
    description: 'Returns one asset. If the asset is unknown or outside the scope of the key, the response is 404.',
    parameters: [params.assetId],
    query: `{ asset(id: $id) { ...Asset } } ${ASSET}`,
    envelope: at('asset'),
  },
]

const GROUPS = `
  from_date: fromDate to_date: toDate total suppressed
  gender { gender impressions share }
  age { age_band: ageBand impressions share }
  age_gender: ageGender { age_band: ageBand gender impressions share }`

export const demographicRoutes: RouteRecord[] = [
  {
    path: '/v1/partner/assets/{id}/demographics',
    operation: 'ReadDemographics',
    tag: 'Demographics',
    summary: 'Get demographics of an asset',
    description: `Returns impressions by age and gender. Below ${MIN_IMPRESSIONS} impressions, the groups are withheld: \`suppressed\` is true and the lists are empty. ${maxRange()}`,
    parameters: [params.assetId, ...range],
    query: `{
      demographics(assetId: $id, fromDate: $from_date, toDate: $to_date) { asset_id: assetId ${GROUPS} }
    }`,
    envelope: at('demographics'),
    errors: [...rangeErrors],
  },
  {
    path: '/v1/partner/demographics/aggregate',
    operation: 'ReadAggregateDemographics',
    tag: 'Demographics',
    summary: 'Get combined demographics of several assets',
    description: `Returns the combined impressions by age and gender of all assets in scope that match the parameters. Each asset's days are in its own time zone. Shares are calculated from the summed counts. ${maxRange()}`,
    parameters: [...range, filters.assetIds, filters.country, filters.region, filters.city],
    query: `{
      demographicsAggregate(fromDate: $from_date, toDate: $to_date, filter: {
        id: $asset_ids, country: $country, region: $region, city: $city
      }) { asset_count: assetCount ${GROUPS} }
    }`,
    envelope: at('demographicsAggregate'),
    errors: [...rangeErrors],
  },
]

const SENSOR = `
fragment Sensor on Sensor {
  id serial model vendor vendor_type: vendorType finest_grain: finestGrain asset_id: assetId billable_state: billableState
  health { status checked_at: checkedAt last_seen_at: lastSeenAt reason cadence_minutes: cadenceMinutes }
  installed_at: installedAt removed_at: removedAt updated_at: updatedAt
}`

const INSTALLATION = selectFields([
  ...['sensorId', 'serial', 'vendor', 'vendorType', 'model', 'finestGrain', 'from', 'to'],
])

export const sensorRoutes: RouteRecord[] = [
  {
    path: '/v1/partner/sensors',
    operation: 'ListSensors',
    tag: 'Sensors',
    summary: 'List sensors',
    description:
      'Returns all sensors in scope with their health, by ascending id, in pages. A health check is due every 15 minutes. If the last check is more than 30 minutes old, the status is `degraded`; after 60 minutes it is `offline`. A sensor that was not checked since its installation is `unknown`.',
    parameters: [params.limit, params.cursor, params.assetIdFilter, ...filters.assetFilters, params.updatedSince],
    query: `{
      sensors(
        limit: $limit, after: $cursor, assetId: $asset_id, filter: { ${filters.FILTER_FIELDS} }, updatedSince: $updated_since
      ) { data: nodes { ...Sensor } has_more: hasMore last }
    } ${SENSOR}`,
    envelope: page('sensors'),
  },
  {
    path: '/v1/partner/assets/{id}/installations',
    operation: 'ListInstallations',
    tag: 'Sensors',
    summary: 'List the installations on an asset',
    description:
      "Returns one row per period in which a sensor counted on the asset, by its begin, then by sensor: whose hardware measured a number. `to` is exclusive, and null while the sensor is installed. What is said of the hardware stays when the sensor is replaced or moved; the vendor has its present name. `serial` is null while the latest installation of the sensor is another company's. The rows have every `sensor_id` of gaps and notes.",
    parameters: [params.assetId],
    query: `{ asset(id: $id) { data: installations { ${INSTALLATION} } } }`,
    envelope: { ...at('asset'), nested: true },
  },
]
