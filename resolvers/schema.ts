/** The executable schema that analysts query: the SDL with its resolvers. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeExecutableSchema } from '@graphql-tools/schema'
import { type GraphQLSchema, parse } from 'graphql'
import type { Resolvers } from '../schema/generated'
import { Asset, AssetPage, asset, assets } from './assets'
import { changes, notes, restatements } from './changes'
import { meta } from './companies'
import type { Context } from './context'
import { demographics, demographicsAggregate } from './demographics'
import { impressionsAggregate } from './groups/aggregates'
import { GroupAsset, GroupImpressions } from './groups/asset-groups'
import { Impressions, impressions } from './impressions'
import { LegacyMetrics, legacyAsset, legacyAssets, legacyMetrics } from './legacy'
import { methodology } from './methodology'
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

const FOLDER = join(__dirname, '..', 'schema')

/** The .graphql files, one per noun, joined. */
const sdl = readdirSync(FOLDER)
  .filter(name => name.endsWith('.graphql'))
  .sort()
  .map(name => readFileSync(join(FOLDER, name), 'utf8'))
  .join('\n')

/** Tests check that it is valid, so that a start does not. */
export const schema: GraphQLSchema = makeExecutableSchema({
  typeDefs: parse(sdl, { noLocation: true }),
  resolvers,
  assumeValid: true,
  assumeValidSDL: true,
})
