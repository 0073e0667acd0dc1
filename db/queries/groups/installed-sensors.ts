/**
 * Reads the sensors that were installed in a range of days on the assets that match a filter, by what determines how many
 * intervals are expected of them: few rows, if most were installed for the whole range.
 */
import type { Knex } from 'knex'
import type { Dates } from '../../calendar/local-days'
import { COMPANY_SCOPE, type ScopedReader } from '../../postgres/scoped-reader'
import { type AssetFilter, determineReach, whereMatches } from '../asset-filters'
import { type BuiltStatement, buildStatement, knex, parameter } from '../statements'
import { GROUPS, type Group, type GroupBy } from './asset-groups'

/** Sensors whose installations are the same, within the range. Instants are in seconds since 1970. */
export interface InstalledSensors {
  timeZone: string
  nativeMinutes: number
  /** Null: before the range. */
  from: number | null
  /** Exclusive. Null: after the range. */
  to: number | null
}

/** Sensors of a group. */
export type SensorsOfGroup = Group & InstalledSensors & { sensors: number }

/** Sensors with the numbers of the assets on which they were, once for each. */
export type SensorsOfAssets = InstalledSensors & { assets: number[] }

type Parameters = AssetFilter & { from: string; to: string }

/** Instants before the range and after it in all time zones. */
const BEFORE = `(:from::date - 1)::timestamp AT TIME ZONE 'UTC'`
const AFTER = `(:to::date + 2)::timestamp AT TIME ZONE 'UTC'`

const RANGE = { from: parameter('from'), to: parameter('to') }

const seconds = (column: string, condition: string) =>
  knex.raw(`CASE WHEN ${column} ${condition} THEN extract(epoch FROM ${column})::float8 END`, RANGE)

const statements = new Map<string, BuiltStatement<Parameters>>()

/** Returns the sensors with what is selected of them, as one row for those whose installations and `groups` are the same. */
function selectInstalled(selected: string, groups: Record<string, string>): Knex.QueryBuilder {
  const columns = { ...groups, timeZone: 'a.time_zone', nativeMinutes: 'i.native_minutes' }
  return knex
    .from('installations as i')
    .join('assets as a', 'a.number', 'i.asset')
    .select(columns)
    .select({ from: seconds('i.installed_at', `> ${BEFORE}`), to: seconds('i.removed_at', `< ${AFTER}`) })
    .select(knex.raw(selected))
    .whereRaw(`i.company = ANY (${COMPANY_SCOPE}) AND a.company = ANY (${COMPANY_SCOPE})`)
    .whereRaw(`i.installed_at < ${AFTER} AND (i.removed_at IS NULL OR i.removed_at > ${BEFORE})`, RANGE)
    .groupBy([...Object.values(columns), knex.raw('"from"'), knex.raw('"to"')])
}

/** Built when it is first used. */
function prepareStatement(isFiltered: boolean, by: GroupBy | 'asset' | undefined): BuiltStatement<Parameters> {
  const name = `installed-sensors${isFiltered ? '-filtered' : ''}${by ? `-by-${by}` : ''}`
  const known = statements.get(name)
  if (known) return known
  const query =
    by === 'asset'
      ? selectInstalled('array_agg(i.asset) AS assets', {})
      : selectInstalled('count(*)::integer AS sensors', by ? GROUPS[by] : {})
  if (isFiltered) query.modify(whereMatches)
  if (by === 'company') query.join('companies as c', 'c.number', 'a.company')
  const statement = buildStatement<Parameters>(name, query)
  statements.set(name, statement)
  return statement
}

function read<Row extends InstalledSensors>(
  reader: ScopedReader,
  filter: AssetFilter,
  [from, to]: Dates,
  by: GroupBy | 'asset' | undefined,
): Promise<Row[]> {
  const statement = prepareStatement(determineReach(filter) !== 'all', by)
  return reader.read(statement, statement.bindValues({ ...filter, from, to }))
}

/** Returns the sensors in no order. Several rows may be of one group. */
export const readSensorsOfGroups = (
  reader: ScopedReader,
  filter: AssetFilter,
  dates: Dates,
  by?: GroupBy,
): Promise<SensorsOfGroup[]> => read(reader, filter, dates, by)

/** Returns the sensors, and the assets of each row, in no order. */
export const readSensorsOfAssets = (
  reader: ScopedReader,
  filter: AssetFilter,
  dates: Dates,
): Promise<SensorsOfAssets[]> => read(reader, filter, dates, 'asset')
