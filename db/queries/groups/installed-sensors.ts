/**
 * Reads the sensors that were installed in a range of days on the assets that match a filter, by what determines how many
 * intervals are expected of them: few rows, if most were installed for the whole range.
 */
import { GROUPS, type Group, type GroupBy } from '../../assets/attributes'
import type { Dates } from '../../calendar/local-days'
import type { ZoneRules } from '../../calendar/zone-rules'
import { inScope, type ScopedReader } from '../../postgres/scoped-reader'
import { readZoneRules } from '../../zones/scoped-rules'
import { type AssetFilter, hasConditions, MATCHES } from '../asset-filters'
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

export type SensorsOfGroup = Group & InstalledSensors & { sensors: number }

/** Sensors with the numbers of the assets on which they were, once for each. */
type SensorsOfAssets = InstalledSensors & { assets: number[] }

/** Instants before the range and after it in all time zones. */
const BEFORE = `(:from::date - 1)::timestamp AT TIME ZONE 'UTC'`
const AFTER = `(:to::date + 2)::timestamp AT TIME ZONE 'UTC'`

const seconds = (column: string, condition: string): string =>
  `CASE WHEN ${column} ${condition} THEN extract(epoch FROM ${column})::float8 END`

function selectSensors(filtered: boolean, by: GroupBy | 'asset' | undefined): string {
  const columns = {
    ...(by && by !== 'asset' && GROUPS[by]),
    rules: 'a.rules',
    nativeMinutes: 'i.native_minutes',
    from: seconds('i.installed_at', `> ${BEFORE}`),
    to: seconds('i.removed_at', `< ${AFTER}`),
  }
  return `SELECT ${named(columns)}, ${by === 'asset' ? 'array_agg(i.asset) AS assets' : 'count(*)::integer AS sensors'}
    FROM installations i JOIN assets a ON a.number = i.asset WHERE ${inScope('i.company')} AND ${inScope('a.company')}
      AND i.installed_at < ${AFTER} AND (i.removed_at IS NULL OR i.removed_at > ${BEFORE}) ${filtered ? `AND ${MATCHES}` : ''}
    GROUP BY ${Object.keys(columns).map((_, i) => i + 1)}`
}

/**
 * Returns the sensors in no order, with their number or, by asset, their assets. Several rows may be of one group.
 */
export async function readInstalledSensors<By extends GroupBy | 'asset' | undefined>(
  reader: ScopedReader,
  filter: AssetFilter,
  [from, to]: Dates,
  by: By,
): Promise<(By extends 'asset' ? SensorsOfAssets : SensorsOfGroup)[]> {
  const filtered = hasConditions(filter)
  const name = `installed-sensors${filtered ? '-filtered' : ''}${by ? `-by-${by}` : ''}`
  type Row = By extends 'asset' ? SensorsOfAssets : SensorsOfGroup
  type StoredRow = Omit<Row, 'rules'> & { rules: number }
  const rows = await readRows<StoredRow>(reader, name, () => selectSensors(filtered, by), { ...filter, from, to })
  const rules = await readZoneRules(
    reader,
    rows.map(row => row.rules),
  )
  return rows.map(row => ({ ...row, rules: rules.get(row.rules) }) as Row)
}
