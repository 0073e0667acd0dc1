/** The guide at /docs: guide.md, with limits, errors and examples filled in from the code, followed by the reference. */

import type { GraphQLEnumType, GraphQLSchema } from 'graphql'
import { type Environment, prefixOf } from '../../../db/api-keys/key-format'
import { VENUE_TYPE_COUNTS } from '../../../db/assets/venue-types'
import { GRAINS } from '../../../db/calendar/grains'
import { dateOf, dayNumber } from '../../../db/calendar/local-days'
import { MIN_IMPRESSIONS } from '../../../resolvers/demographics'
import { MAX_PAGE_SIZE } from '../../../resolvers/limits/pages'
import type { Grain } from '../../../schema/generated'
import { MAX_STREAMS } from '../../edge/rates'
import { HEALTH_CHECKS } from '../../health'
import { MAX_ASSET_IDS } from '../../read/filter-params'
import { assetId, DEFAULT_LIMIT } from '../../read/params'
import type { Route } from '../../record'
import { ROWS_PER_REQUEST } from '../../stream'
import { fillPlaceholders, jsonBlock, renderTable } from '../layout/markdown'
import { readDocument } from '../read-document'
import { demoWeek } from './demo-week'
import { type OpenApi, reference } from './reference'

/**
 * Returns Markdown.
 *
 * @param document the OpenAPI document of the routes
 * @param now in milliseconds since 1970; dates in examples are relative to it
 */
export function guideText(schema: GraphQLSchema, routes: Route[], document: OpenApi, now: number): string {
  const today = dayNumber(new Date(now).toISOString().slice(0, 10))
  const text = readDocument('guide.md')
  return fillPlaceholders(text, {
    prefix: environment => prefixOf(environment as Environment),
    asset: () => String(assetId.example),
    day: daysAgo => dateOf(today - Number(daysAgo)),
    week: () =>
      jsonBlock(
        demoWeek(
          [7, 6, 5, 4, 3, 2, 1].map(ago => dateOf(today - ago)),
          now / 1000,
        ),
      ),
    default_limit: () => String(DEFAULT_LIMIT),
    max_page_size: () => String(MAX_PAGE_SIZE),
    max_asset_ids: () => String(MAX_ASSET_IDS),
    venue_types: () => VENUE_TYPE_COUNTS,
    max_streams: () => String(MAX_STREAMS),
    rows_per_request: () => ROWS_PER_REQUEST.toLocaleString('en'),
    min_audience: () => String(MIN_IMPRESSIONS),
    limits: () => limitsTable(schema),
    reference: () => reference([...routes, ...HEALTH_CHECKS], document),
  })
}

function limitsTable(schema: GraphQLSchema): string {
  const grains = (schema.getType('Grain') as GraphQLEnumType).getValues()
  return renderTable(
    ['grain', 'bucket', 'maximum range in days'],
    grains.map(({ name, description }) => [
      `\`${name}\``,
      (description ?? '').replace(/\.$/, ''),
      GRAINS[name as Grain].maxDays.toLocaleString('en'),
    ]),
  )
}
