/** The route record of sensors. */
import * as filters from '../read/filter-params'
import * as params from '../read/params'
import type { RouteRecord } from '../record'
import { at } from '../shape/envelopes'
import { page } from '../shape/pages'
import { selectFields } from './impressions'

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
