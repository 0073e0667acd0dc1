/**
 * The schema that REST executes its persisted queries on: the public one with two differences. Long lists and a single
 * asset are scalars that hold finished JSON, and results that have a data version expose it, for conditional requests.
 */
import { type DocumentNode, type FieldNode, type GraphQLFieldResolver, Kind, parse, parseType } from 'graphql'
import type { DataVersion } from '../db/queries/data-versions'
import { buildExecutableSchema, sdl } from '../schema/executable-schema'
import { rawAsset, rawAssets } from './assets'
import type { Context } from './context'
import type { Aggregate } from './groups/aggregates'
import { aggregateJson } from './json/aggregate-json'
import { type FoundGaps, GapRows } from './json/gaps-json'
import { type Profile, ProfileRows } from './json/profile-json'
import { RawJsonScalar } from './json/raw-json'
import { type RowKeys, SeriesRows } from './json/series-json'
import { resolvers } from './schema'
import { rawSensors } from './sensors'
import type { Label } from './series/labels'
import type { SeriesResult } from './series/series-result'

/** Fields that hold finished JSON, by type. */
const RAW_NODES: Record<string, string> = {
  Query: 'asset',
  AssetPage: 'nodes',
  SensorPage: 'nodes',
}
const RAW_ROWS: Record<string, string> = {
  DailyImpressions: 'rows',
  ImpressionsSeries: 'rows',
  LegacyTimes: 'rows',
  AggregateImpressions: 'rows',
  ImpressionsGaps: 'rows',
  ImpressionsProfile: 'rows',
}

const VERSIONED_TYPES = [
  'ImpressionsSummaries',
  'DailyImpressions',
  'ImpressionsSeries',
  'ImpressionsProfile',
  'ImpressionsByRegion',
  'ImpressionsByCity',
  'AssetDemographics',
]

/** The field that holds the data version of a versioned type. */
export const DATA_VERSION = 'dataVersion'

/** A result of a versioned type. */
export interface VersionedResult {
  [DATA_VERSION]: DataVersion
}

const EXTENSIONS = parse(
  [
    'scalar RawJson',
    'scalar DataVersion',
    ...VERSIONED_TYPES.map(type => `extend type ${type} { ${DATA_VERSION}: DataVersion }`),
  ].join('\n'),
)

const RAW_JSON = parseType('RawJson')

const restDocument = (rawFields: Record<string, string>): DocumentNode => ({
  ...sdl,
  definitions: [...sdl.definitions, ...EXTENSIONS.definitions].map(type => {
    if (type.kind !== Kind.OBJECT_TYPE_DEFINITION || !type.fields) return type
    const raw = rawFields[type.name.value]
    return {
      ...type,
      fields: type.fields.map(field => (field.name.value === raw ? { ...field, type: RAW_JSON } : field)),
    }
  }),
})

type RowsResolver = GraphQLFieldResolver<SeriesResult<Label>, Context>

const rowsLabelledBy =
  (label: Label): RowsResolver =>
  ({ series }, _, __, { fieldNodes }) =>
    new SeriesRows(series, label, findRowKeys(fieldNodes[0]!))

const knownKeys = new WeakMap<FieldNode, RowKeys>()

/** Returns the keys under which rows are selected: a label, impressions and perhaps coverage, in this order. */
function findRowKeys(rows: FieldNode): RowKeys {
  const known = knownKeys.get(rows)
  if (known) return known
  const [label, impressions, coverage, ...others] = (rows.selectionSet?.selections ?? []) as FieldNode[]
  if (
    impressions?.name.value !== 'impressions' ||
    (coverage && coverage.name.value !== 'coverage') ||
    others.length > 0
  ) {
    throw new Error('rows of a series are selected as a label, impressions and perhaps coverage, in this order')
  }
  const keyOf = ({ alias, name }: FieldNode) => (alias ?? name).value
  const keys = {
    label: keyOf(label!),
    impressions: keyOf(impressions),
    coverage: coverage && keyOf(coverage),
  }
  knownKeys.set(rows, keys)
  return keys
}

/** Returns the keys of rows, by field. */
function findKeys([rows]: readonly FieldNode[]): Map<string, string> {
  const fields = (rows?.selectionSet?.selections ?? []) as FieldNode[]
  return new Map(fields.map(({ alias, name }) => [name.value, (alias ?? name).value]))
}

const aggregateRows: GraphQLFieldResolver<Aggregate, Context> = (aggregate, _, __, { fieldNodes }) =>
  aggregateJson(aggregate, findKeys(fieldNodes))

const gapRows: GraphQLFieldResolver<FoundGaps, Context> = (found, _, __, { fieldNodes }) =>
  new GapRows(findKeys(fieldNodes), [found])

const profileRows: GraphQLFieldResolver<Profile, Context> = (profile, _, __, { fieldNodes }) =>
  new ProfileRows(profile, findKeys(fieldNodes))

const ROWS_RESOLVERS = {
  DailyImpressions: { rows: rowsLabelledBy('date') },
  ImpressionsSeries: { rows: rowsLabelledBy('start') },
  LegacyTimes: { rows: rowsLabelledBy('time') },
  AggregateImpressions: { rows: aggregateRows },
  ImpressionsGaps: { rows: gapRows },
  ImpressionsProfile: { rows: profileRows },
  RawJson: RawJsonScalar,
}

/** Takes a third of the time of a copy, and puts the types in another order, which only introspection shows. */
const IN_PLACE = { updateResolversInPlace: true }

/** For queries of lists whose nodes have nothing nested under them. */
export const restSchema = buildExecutableSchema(
  restDocument({ ...RAW_NODES, ...RAW_ROWS }),
  {
    ...resolvers,
    Query: { ...resolvers.Query, asset: rawAsset, assets: rawAssets, sensors: rawSensors },
    ...ROWS_RESOLVERS,
  },
  IN_PLACE,
)

/** For queries of lists whose nodes have series nested under them: the series are finished JSON, the nodes are not. */
export const nestedRestSchema = buildExecutableSchema(
  restDocument(RAW_ROWS),
  { ...resolvers, ...ROWS_RESOLVERS },
  IN_PLACE,
)
