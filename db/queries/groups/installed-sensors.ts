/**
 * Reads the sensors that were installed in a range of days on the assets that match a filter, by what determines how many
 * intervals are expected of them: few rows, if most were installed for the whole range.
 */
import { GROUPS, type Group, type GroupBy } from '../../assets/attributes'
import type { Dates } from '../../calendar/local-days'
import type { ZoneRules } from '../../calendar/zone-rules'
import { inScope, type ScopedReader } from '../../postgres/scoped-reader'
import { readZoneRules } from '../../zones/scoped-rules'
import { type AssetFilter, CLASS_MATCHES, chooseSource, MATCHES, type Source } from '../asset-filters'
import { named, readRows } from '../statements'

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

/** Instants before the range and after it in all time zones. */
const BEFORE = `(:from::date - 1)::timestamp AT TIME ZONE 'UTC'`
const AFTER = `(:to::date + 2)::timestamp AT TIME ZONE 'UTC'`

const seconds = (column: string, condition: string): string =>
  `CASE WHEN ${column} ${condition} THEN extract(epoch FROM ${column})::float8 END`

/** Returns the SQL of the installations `i` of assets `a` that meet a condition. */
const installationsWhere = (condition: string): string =>
  `installations i JOIN assets a ON a.number = i.asset WHERE ${inScope('i.company')} AND ${inScope('a.company')} AND ${condition}`

/** SQL: those that overlap the range. */
const OF_ASSETS = installationsWhere(`i.installed_at < ${AFTER} AND (i.removed_at IS NULL OR i.removed_at > ${BEFORE})`)

/**
 * Returns the SQL of the same without reading most of them: the sensors that are installed now, as if they had always been, and what this
 * differs by.
 *
 * @param byClass whether the rows are joined with the classes of the assets, as `a`
 */
function ofClasses(byClass: boolean): string {
  const columns = 'a.company, a.class, a.rules, i.native_minutes'
  return `(
    SELECT s.company, s.class, s.rules, s.native_minutes, NULL::timestamptz AS installed_at, NULL::timestamptz AS removed_at, s.sensors
    FROM class_sensors s WHERE ${inScope('s.company')} AND s.class ${byClass ? '> 0' : '= 0'}
    UNION ALL SELECT ${columns}, i.installed_at, i.removed_at, 1
    FROM ${installationsWhere(`i.installed_at < ${AFTER} AND i.removed_at > ${BEFORE}`)}
    UNION ALL SELECT ${columns}, NULL, i.installed_at, -1
    FROM ${installationsWhere(`i.installed_at > ${BEFORE} AND i.removed_at IS NULL`)}
  ) AS i ${byClass ? `JOIN asset_classes a ON a.company = i.company AND a.number = i.class WHERE ${inScope('a.company')}` : ''}`
}

function selectSensors(source: Source, by: GroupBy | 'asset' | undefined): string {
  const isOfAssets = source === 'assets' || by === 'asset'
  const columns = {
    ...(by && by !== 'asset' && GROUPS[by]),
    rules: isOfAssets ? 'a.rules' : 'i.rules',
    nativeMinutes: 'i.native_minutes',
    from: seconds('i.installed_at', `> ${BEFORE}`),
    to: seconds('i.removed_at', `< ${AFTER}`),
  }
  const sensors = `${isOfAssets ? 'count(*)' : 'sum(i.sensors)'}::integer AS sensors`
  return `SELECT ${named(columns)}, ${by === 'asset' ? 'array_agg(i.asset) AS assets' : sensors}
    FROM ${isOfAssets ? OF_ASSETS : ofClasses(source === 'classes' || by !== undefined)}
    ${source === 'all' ? '' : `AND ${isOfAssets ? MATCHES : CLASS_MATCHES}`} GROUP BY ${Object.keys(columns).map((_, i) => i + 1)}`
}

async function readInstalled<Row extends InstalledSensors>(
  reader: ScopedReader,
  filter: AssetFilter,
  [from, to]: Dates,
  by: GroupBy | 'asset' | undefined,
): Promise<Row[]> {
  const source = chooseSource(filter)
  const name = `installed-sensors-of-${source}${by ? `-by-${by}` : ''}`
  type StoredRow = Omit<Row, 'rules'> & { rules: number }
  const rows = await readRows<StoredRow>(reader, name, () => selectSensors(source, by), { ...filter, from, to })
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
