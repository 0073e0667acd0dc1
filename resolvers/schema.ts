/** The executable schema that analysts query: the SDL with its resolvers. */
import { makeExecutableSchema } from '@graphql-tools/schema'
import type { GraphQLSchema } from 'graphql'
import type { Resolvers } from '../schema/generated'
import { sdl } from '../schema/sdl'
import { Asset, AssetPage, asset, assets } from './assets'
import { changes } from './changes'
import { meta } from './companies'
import type { Context } from './context'
import { demographics, demographicsAggregate } from './demographics'
import { impressionsAggregate } from './groups/aggregates'
import { GroupAsset, GroupImpressions } from './groups/asset-groups'
import { Impressions, impressions } from './impressions'
import { LegacyMetrics, legacyAsset, legacyAssets, legacyMetrics } from './legacy'
import { methodology } from './methodology'
import { notes } from './provenance/notes'
import { restatements } from './provenance/restatements'
import { scalars } from './scalars'
import { SensorPage, sensors } from './sensors'

const resolvers: Resolvers<Context> = {
  Query: {
    meta,
    methodology,
    asset,
    assets,
    sensors,
    impressions,
    demographics,
    demographicsAggregate,
    impressionsAggregate,
    changes,
    notes,
    restatements,
    legacyAssets,
    legacyAsset,
    legacyMetrics,
  },
  Asset,
  AssetPage,
  GroupImpressions,
  GroupAsset,
  SensorPage,
  Impressions,
  LegacyMetrics,
  ...scalars,
}

export const schema: GraphQLSchema = makeExecutableSchema({
  typeDefs: sdl,
  resolvers,
  assumeValid: true,
  assumeValidSDL: true,
})
