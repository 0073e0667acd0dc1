/** The route records of demographics. */
import { MIN_IMPRESSIONS } from '../../resolvers/demographics'
import * as filters from '../read/filter-params'
import * as params from '../read/params'
import { maxRange, range, rangeErrors } from '../read/params'
import type { RouteRecord } from '../record'
import { at } from '../shape/envelopes'

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
