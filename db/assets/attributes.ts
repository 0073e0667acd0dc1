/**
 * The attributes of assets: one list has all that is known of each. A field of `Asset`, of `AssetFilter` or a value of
 * `AggregateGroup` in the schema that is missing here is a compile error. A test compares the list with the tables.
 */
import type { AggregateGroup, Asset, AssetFilter } from '../../schema/generated'
import { grainName } from '../calendar/grains'
import {
  boolean,
  type Column,
  country,
  decimal,
  id,
  integer,
  oneOf,
  reference,
  region,
  required,
  text,
  timeZone,
  withDefault,
} from '../columns'
import { venueTaxonomy } from './venue-types'

/** An asset without the objects nested under it. */
export type AssetRow = Omit<Asset, 'company' | 'sensors' | 'installations' | 'impressions' | 'demographics'>

type Field = keyof AssetRow

/** The type of a filter's parameter, and its condition on the asset `a` with the parameter `:value`. */
export type Condition = readonly [type: string, condition: string]

interface Definition {
  /** The column of a file; null where files have none. */
  file: Column | null
  /** Whether the feed reports a change of it as one of the asset's record. */
  inFeed: boolean
  /** The column of `assets`, if its name is not that of the attribute. */
  column?: string
  /** SQL of the value, of the asset `a` and its versions `v`, if it is not the column. */
  sql?: string
}

type Definitions = {
  [Name in Field]: Definition & { filter: Name extends keyof AssetFilter ? Condition : null }
}

const among = (column: string, type = 'text[]'): Condition => [type, `a.${column} = ANY (:value)`]

const FORMATS =
  'billboard bus_shelter urban_panel spectacular window_panel transit street_furniture place_based other'.split(' ')

const POSITIVE = integer(1, 2_147_483_647)

const SIZE = decimal('a number above 0, at most 10000', number => number > 0 && number <= 10_000)

const degrees = (max: number) => decimal(`degrees from -${max} to ${max}`, number => number >= -max && number <= max)

/** An attribute by which nothing is selected or summed. */
const PLAIN = { filter: null, inFeed: true } as const

/** An attribute that no file has and no change of which is reported. */
const DERIVED = { ...PLAIN, file: null, inFeed: false } as const

const DEFINITIONS = {
  id: { ...PLAIN, file: id, filter: among('id') },
  legacyId: { ...PLAIN, file: POSITIVE },
  companyId: {
    ...{ ...PLAIN, file: required(reference) },
    filter: ['text[]', 'a.company = ANY (ARRAY(SELECT number FROM companies WHERE id = ANY (:value)))'],
  },
  name: { ...PLAIN, file: required(text(500)) },
  description: { ...PLAIN, file: text(5000) },
  mediaType: { ...PLAIN, file: required(oneOf(['digital', 'static'])), filter: among('media_type') },
  format: { ...PLAIN, file: required(oneOf(FORMATS)), filter: among('format') },
  venueTypeId: { ...PLAIN, file: POSITIVE, filter: among('venue_type_id', 'integer[]') },
  status: {
    ...{ ...PLAIN, filter: among('status') },
    file: withDefault(`'active'`, oneOf(['active', 'inactive', 'archived'])),
  },
  indoors: { ...PLAIN, file: withDefault('false', boolean) },
  facingDegrees: { ...PLAIN, file: integer(0, 359) },
  widthM: { ...PLAIN, file: SIZE },
  heightM: { ...PLAIN, file: SIZE },
  latitude: { ...PLAIN, file: required(degrees(90)) },
  longitude: { ...PLAIN, file: required(degrees(180)) },
  address: { ...PLAIN, file: text(500) },
  city: { ...PLAIN, file: text(200), filter: among('city') },
  region: { ...PLAIN, file: region, filter: among('region') },
  postalCode: { ...PLAIN, file: text(20) },
  country: { ...PLAIN, file: required(country), filter: among('country') },
  timeZone: { ...PLAIN, file: required(timeZone) },
  finestGrain: { ...PLAIN, file: null, column: 'sensor_minutes', sql: grainName('a.sensor_minutes') },
  sensorIds: { ...PLAIN, file: null },
  measuredFrom: { ...DERIVED, sql: 'v.measured_from' },
  measuredTo: { ...DERIVED, sql: 'v.measured_to' },
  createdAt: DERIVED,
  updatedAt: DERIVED,
  venueTaxonomy: { ...PLAIN, file: venueTaxonomy },
  // Files have a column for each system.
  externalIds: { ...PLAIN, file: null },
} satisfies Definitions

export type GroupBy = Exclude<AggregateGroup, 'asset'>

/** The attributes that make up a group: regions are those of a country, cities those of a region. */
const GROUPINGS = {
  country: ['country'],
  region: ['country', 'region'],
  city: ['country', 'region', 'city'],
  media_type: ['mediaType'],
  format: ['format'],
} as const satisfies Record<GroupBy, readonly Field[]>

type GroupAttribute = (typeof GROUPINGS)[GroupBy][number]

export const GROUP_ATTRIBUTES = [...new Set(Object.values(GROUPINGS).flat())] as readonly GroupAttribute[]

interface Attribute extends Required<Definition> {
  field: Field
  /** The name in files and in REST. */
  name: string
  filter: Condition | null
}

/** Returns the name of a field in tables, files and REST. */
export const snakeCase = (field: string): string => field.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)

/** In the order of the fields of an asset. */
export const ATTRIBUTES = Object.entries<Definitions[Field]>(DEFINITIONS).map(([field, definition]): Attribute => {
  const name = snakeCase(field)
  const { column = name, sql = `a.${column}` } = definition
  return { ...definition, field: field as Field, name, column, sql }
})

export const sqlOf = (field: Field): string => ATTRIBUTES.find(each => each.field === field)!.sql

/** Attributes by which assets are grouped, with their SQL, of the asset `a`. */
export const GROUPS = Object.fromEntries(
  Object.entries(GROUPINGS).map(([by, fields]) => [by, Object.fromEntries(fields.map(field => [field, sqlOf(field)]))]),
) as Record<GroupBy, Record<string, string>>

/** The values of the attributes of a group; none where all assets are one group. */
export type Group = Partial<Record<GroupAttribute, string | null>>
