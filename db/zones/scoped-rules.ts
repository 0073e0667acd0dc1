/** Reads the rules of time zones by which the counts of a response were stored. They belong to no company. */
import { ZoneRules } from '../calendar/zone-rules'
import { COMPANY_SCOPE, type ScopedReader } from '../postgres/scoped-reader'
import { readRows } from '../queries/statements'

const ZONE_RULES = `SELECT number, zone, version, starts, offsets FROM zone_rules
  WHERE number = ANY (:unknown) AND ${COMPANY_SCOPE} IS NOT NULL ORDER BY number`

type ZoneRulesRow = Pick<ZoneRules, 'zone' | 'version' | 'starts' | 'offsets'> & { number: number }

/**
 * Returns rules by their numbers. Rules never change: those that the process has read for another request are not read again.
 *
 * @param numbers as read with what they apply to
 */
export async function readZoneRules(
  reader: ScopedReader,
  numbers: Iterable<number>,
): Promise<ReadonlyMap<number, ZoneRules>> {
  const { zoneRules } = reader
  const unknown = [...new Set(numbers)].filter(number => !zoneRules.has(number))
  if (unknown.length > 0) {
    const rows = await readRows<ZoneRulesRow>(reader, 'zone-rules', () => ZONE_RULES, { unknown })
    for (const { number, ...row } of rows) {
      zoneRules.set(number, new ZoneRules(row.zone, row.version, row.starts, row.offsets))
    }
  }
  return zoneRules
}
