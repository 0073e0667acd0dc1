/**
 * Counts the sensors that were installed in a range of days on the assets that match a filter, by what determines how many
 * intervals are expected of them.
 */
import type { Dates } from '../../calendar/local-days'
import { COMPANY_SCOPE, type ScopedReader } from '../../postgres/scoped-reader'
import { type AssetFilter, determineReach, whereMatches } from '../asset-filters'
import { type BuiltStatement, buildStatement, knex, parameter } from '../statements'
import { GROUPS, type Group, type GroupBy } from './asset-groups'

/** Sensors of a group whose installations are the same, within the range. Instants are in seconds since 1970. */
export type InstalledSensors = Group & {
  /** The id of the asset, where rows are by asset. */
  assetId?: string
  timeZone: string
  nativeMinutes: number
  /** Null: before the range. */
  from: number | null
  /** Exclusive. Null: after the range. */
  to: number | null
  sensors: number
}

type Parameters = AssetFilter & { from: string; to: string }

/** Instants before the range and after it in all time zones. */
const BEFORE = `(:from::date - 1)::timestamp AT TIME ZONE 'UTC'`
const AFTER = `(:to::date + 2)::timestamp AT TIME ZONE 'UTC'`

const RANGE = { from: parameter('from'), to: parameter('to') }

const seconds = (column: string, condition: string) =>
  knex.raw(`CASE WHEN ${column} ${condition} THEN extract(epoch FROM ${column})::float8 END`, RANGE)

const statements = new Map<string, BuiltStatement<Parameters>>()

/** Built when it is first used. */
function prepareStatement(isFiltered: boolean, by: GroupBy | 'asset' | undefined): BuiltStatement<Parameters> {
  const name = `installed-sensors${isFiltered ? '-filtered' : ''}${by ? `-by-${by}` : ''}`
  const known = statements.get(name)
  if (known) return known
  const columns = {
    ...(by === 'asset' ? { assetId: 'a.id' } : by && GROUPS[by]),
    ...{ timeZone: 'a.time_zone', nativeMinutes: 'i.native_minutes' },
  }
  const query = knex
    .from('installations as i')
    .join('assets as a', 'a.number', 'i.asset')
    .select(columns)
    .select({ from: seconds('i.installed_at', `> ${BEFORE}`), to: seconds('i.removed_at', `< ${AFTER}`) })
    .select(knex.raw('count(*)::integer AS sensors'))
    .whereRaw(`i.company = ANY (${COMPANY_SCOPE}) AND a.company = ANY (${COMPANY_SCOPE})`)
    .whereRaw(`i.installed_at < ${AFTER} AND (i.removed_at IS NULL OR i.removed_at > ${BEFORE})`, RANGE)
    .groupBy([...Object.values(columns), knex.raw('"from"'), knex.raw('"to"')])
  if (isFiltered) query.modify(whereMatches)
  if (by === 'company') query.join('companies as c', 'c.number', 'a.company')
  const statement = buildStatement<Parameters>(name, query)
  statements.set(name, statement)
  return statement
}

/** Returns the sensors in no order. Several rows may be of one group. */
export function readInstalledSensors(
  reader: ScopedReader,
  filter: AssetFilter,
  [from, to]: Dates,
  by?: GroupBy | 'asset',
): Promise<InstalledSensors[]> {
  const statement = prepareStatement(determineReach(filter) !== 'all', by)
  return reader.read(statement, statement.bindValues({ ...filter, from, to }))
}
