/**
 * Reads the sensors that were installed in a range of days on the assets that match a filter, by what determines how many
 * intervals are expected of them: few rows, if most were installed for the whole range.
 */
import type { Knex } from 'knex'
import { GROUPS, type Group, type GroupBy } from '../../assets/attributes'
import type { Dates } from '../../calendar/local-days'
import type { ZoneRules } from '../../calendar/zone-rules'
import { inScope, type ScopedReader } from '../../postgres/scoped-reader'
import { readZoneRules } from '../../zones/scoped-rules'
import { type AssetFilter, chooseSource, type Source, whereClassMatches, whereMatches } from '../asset-filters'
import { buildOnce, knex, parameter } from '../statements'

/** Sensors whose installations are the same, within the range. Instants are in seconds since 1970. */
export interface InstalledSensors {
  /** The rules by which the days of their assets are cut. */
  rules: ZoneRules
  nativeMinutes: number
  /** Null: before the range. */
  from: number | null
  /** Exclusive. Null: after the range. */
  to: number | null
}

/** Sensors of a group; fewer than 0 where another row has counted some that were not installed yet. */
export type SensorsOfGroup = Group & InstalledSensors & { sensors: number }

/** Sensors with the numbers of the assets on which they were, once for each. */
type SensorsOfAssets = InstalledSensors & { assets: number[] }

type Parameters = AssetFilter & { from: string; to: string }

/** Instants before the range and after it in all time zones. */
const BEFORE = `(:from::date - 1)::timestamp AT TIME ZONE 'UTC'`
const AFTER = `(:to::date + 2)::timestamp AT TIME ZONE 'UTC'`

const RANGE = { from: parameter('from'), to: parameter('to') }

const seconds = (column: string, condition: string) =>
  knex.raw(`CASE WHEN ${column} ${condition} THEN extract(epoch FROM ${column})::float8 END`, RANGE)

/** Selects the installations `i` of assets `a` that meet a condition. */
const installationsWhere = (condition: string): Knex.QueryBuilder =>
  knex
    .from('installations as i')
    .join('assets as a', 'a.number', 'i.asset')
    .whereRaw(`${inScope('i.company')} AND ${inScope('a.company')} AND ${condition}`, RANGE)

/** SQL: that an installation overlaps the range. */
const OVERLAPS = `i.installed_at < ${AFTER} AND (i.removed_at IS NULL OR i.removed_at > ${BEFORE})`

/** Selects those that overlap the range. */
const ofAssets = (): Knex.QueryBuilder => installationsWhere(OVERLAPS)

/**
 * Selects the same without reading most of them: the sensors that are installed now, as if they had always been, and what this differs by.
 *
 * @param byClass whether the rows are joined with the classes of the assets, as `a`
 */
function ofClasses(byClass: boolean): Knex.QueryBuilder {
  const columns = ['a.company', 'a.class', 'a.rules', 'i.native_minutes']
  const removedSince = installationsWhere(`i.installed_at < ${AFTER} AND i.removed_at > ${BEFORE}`)
  const installedSince = installationsWhere(`i.installed_at > ${BEFORE} AND i.removed_at IS NULL`)
  const united = knex
    .from('class_sensors as s')
    .select('s.company', 's.class', 's.rules', 's.native_minutes')
    .select(knex.raw('NULL::timestamptz AS installed_at, NULL::timestamptz AS removed_at, s.sensors'))
    .whereRaw(`${inScope('s.company')} AND s.class ${byClass ? '> 0' : '= 0'}`)
    .unionAll([
      removedSince.select(columns).select('i.installed_at', 'i.removed_at', knex.raw('1')),
      installedSince.select(columns).select(knex.raw('NULL, i.installed_at, -1')),
    ])
  const query = knex.from(united.as('i'))
  return byClass
    ? query
        .join('asset_classes as a', { 'a.company': 'i.company', 'a.number': 'i.class' })
        .whereRaw(inScope('a.company'))
    : query
}

function selectSensors(source: Source, by: GroupBy | 'asset' | undefined): Knex.QueryBuilder {
  const isOfAssets = source === 'assets' || by === 'asset'
  const columns = {
    ...(by && by !== 'asset' && GROUPS[by]),
    rules: isOfAssets ? 'a.rules' : 'i.rules',
    nativeMinutes: 'i.native_minutes',
  }
  const query = isOfAssets ? ofAssets() : ofClasses(source === 'classes' || by !== undefined)
  if (source !== 'all') query.modify(isOfAssets ? whereMatches : whereClassMatches)
  const count = isOfAssets ? 'count(*)' : 'sum(i.sensors)'
  return query
    .select(columns)
    .select({ from: seconds('i.installed_at', `> ${BEFORE}`), to: seconds('i.removed_at', `< ${AFTER}`) })
    .select(knex.raw(by === 'asset' ? 'array_agg(i.asset) AS assets' : `${count}::integer AS sensors`))
    .groupBy([...Object.values(columns), knex.raw('"from"'), knex.raw('"to"')])
}

async function readInstalled<Row extends InstalledSensors>(
  reader: ScopedReader,
  filter: AssetFilter,
  [from, to]: Dates,
  by: GroupBy | 'asset' | undefined,
): Promise<Row[]> {
  const source = chooseSource(filter)
  const name = `installed-sensors-of-${source}${by ? `-by-${by}` : ''}`
  const statement = buildOnce<Parameters>(name, () => selectSensors(source, by))
  const rows = await reader.read<Omit<Row, 'rules'> & { rules: number }>(
    statement,
    statement.bindValues({ ...filter, from, to }),
  )
  const rules = await readZoneRules(
    reader,
    rows.map(row => row.rules),
  )
  return rows.map(row => ({ ...row, rules: rules.get(row.rules) }) as Row)
}

/** Returns the sensors in no order. Several rows may be of one group. */
export const readSensorsOfGroups = (
  reader: ScopedReader,
  filter: AssetFilter,
  dates: Dates,
  by?: GroupBy,
): Promise<SensorsOfGroup[]> => readInstalled(reader, filter, dates, by)

/** Returns the sensors, and the assets of each row, in no order. */
export const readSensorsOfAssets = (
  reader: ScopedReader,
  filter: AssetFilter,
  dates: Dates,
): Promise<SensorsOfAssets[]> => readInstalled(reader, filter, dates, 'asset')
