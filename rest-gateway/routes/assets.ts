/** The route records of assets. */
import { ATTRIBUTES } from '../../db/assets/attributes'
import * as filters from '../read/filter-params'
import * as params from '../read/params'
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
