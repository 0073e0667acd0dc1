/** The filters of assets, as conditions of SQL. All filters must match; one that is null or missing matches every asset. */
import type { AssetFilter as Filter, InputMaybe } from '../../schema/generated'
import { type AssetRow, ATTRIBUTES, type Condition } from '../assets/attributes'
import { externalKeys } from '../assets/external-ids'
import { isOwn } from '../calendar/grains'
import { inScope } from '../postgres/scoped-reader'

/** The filter of the schema, with lists of numbers instead of objects. */
export interface AssetFilter extends Omit<Filter, 'box' | 'near' | 'externalId'> {
  /** [south, west, north, east] in degrees. West is greater than east where the box spans the antimeridian. */
  box?: readonly number[] | null
  /** [latitude, longitude, metres]. */
  near?: readonly number[] | null
  /** Systems and ids, as `externalKeys` joins them. */
  externalId?: readonly string[] | null
}

/** Returns the conditions of a filter of the schema. */
export function buildConditions(filter: InputMaybe<Filter>): AssetFilter {
  if (!filter) return {}
  const { box, near, externalId } = filter
  return {
    ...(Object.fromEntries(Object.entries(filter).map(([name, value]) => [name, normalize(value)])) as typeof filter),
    box: box ? [box.south, box.west, box.north, box.east] : null,
    near: near ? [near.latitude, near.longitude, near.meters] : null,
    externalId: externalId ? normalize(externalKeys(externalId)) : null,
  }
}

/** Returns a value of a filter with its texts in the form of Unicode in which names are stored. */
const normalize = <Value>(value: Value): Value =>
  (Array.isArray(value) ? value.map(normalize) : typeof value === 'string' ? value.normalize('NFC') : value) as Value

/** The conditions that do not compare an attribute with values. */
const OTHER_CONDITIONS: Record<Exclude<keyof Filter, keyof AssetRow>, Condition> = {
  // The database's own collation may know the case of ASCII alone.
  nameContains: ['text', 'strpos(lower(a.name COLLATE "und-x-icu"), lower(:value COLLATE "und-x-icu")) > 0'],
  box: [
    'double precision[]',
    `a.latitude BETWEEN :value[1] AND :value[3] AND CASE WHEN :value[2] <= :value[4]
      THEN a.longitude BETWEEN :value[2] AND :value[4] ELSE a.longitude >= :value[2] OR a.longitude <= :value[4] END`,
  ],
  // The haversine formula, on a sphere of the earth's mean radius.
  near: [
    'double precision[]',
    `2 * 6371008.8 * asin(sqrt(least(1, sin(radians(a.latitude - :value[1]) / 2) ^ 2
      + cos(radians(:value[1])) * cos(radians(a.latitude)) * sin(radians(a.longitude - :value[2]) / 2) ^ 2))) <= :value[3]`,
  ],
  hasOwnSensor: [
    'boolean',
    `EXISTS (SELECT 1 FROM sensors s WHERE s.asset = a.number AND ${isOwn('s.native_minutes')}) = :value`,
  ],
  // The sub-select is evaluated only if there is a value.
  externalId: [
    'text[]',
    `a.number = ANY (ARRAY(SELECT e.asset FROM asset_external_ids e WHERE ${inScope('e.company')} AND e.key = ANY (:value)))`,
  ],
  updatedSince: ['timestamptz', 'a.updated_at >= :value'],
}

const FILTERED = ATTRIBUTES.flatMap(({ filter, ...attribute }) => (filter ? [{ ...attribute, filter }] : []))

const CONDITIONS: Readonly<Record<string, Condition>> = {
  ...Object.fromEntries(FILTERED.map(({ field, filter }) => [field, filter])),
  ...OTHER_CONDITIONS,
}

/** SQL: whether an asset `a` matches a filter, whose values are the parameters of the same names. */
export const MATCHES = Object.entries(CONDITIONS)
  .map(([name, [type, condition]]) => [`:${name}`, type, condition] as const)
  .map(([value, type, condition]) => `(${value}::${type} IS NULL OR ${condition.replaceAll(':value', value)})`)
  .join(' AND ')

export const hasConditions = (filter: AssetFilter): boolean => Object.values(filter).some(value => value != null)
