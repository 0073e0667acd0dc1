/** Compares the time zone rules in force with those of this Node.js. */
import type { ClientBase, Pool } from 'pg'
import { dateOf, dayAt, dayNumber } from '../calendar/local-days'
import { NODE_RULES_VERSION, readNodeRules, type ZoneRules } from '../calendar/zone-rules'
import { readRulesInForce } from './rules-in-force'

/** The rules of a zone. */
export interface ComparedZone {
  zone: string
  /** The version of the tz database of the rules in force. */
  version: string
  /** The version of the rules of this Node.js. */
  node_version: string
  /** The first instant since 1970 at which they differ, RFC 3339 in UTC; null where they are the same. */
  differs_from: string | null
  assets: number
  /** Their sensor-days from that instant on, which `zones update` would cut again. */
  sensor_days: number
}

/** Rules of this Node.js that differ from those in force. */
export interface RuleDifference {
  former: ZoneRules
  rules: ZoneRules
  /** Seconds since 1970. */
  instant: number
  /** The first local day that may be cut otherwise. */
  since: string
}

/** Reads the rules of Node.js for a zone; tests give others. */
export type ReadRules = (zone: string) => ZoneRules

/** Returns how the rules of this Node.js differ from those in force, also of zones that no asset has any more. */
export async function readDifferences(db: ClientBase | Pool, readRules?: ReadRules): Promise<RuleDifference[]> {
  return (await compareRules(db, readRules)).flatMap(({ difference }) => difference ?? [])
}

async function compareRules(db: ClientBase | Pool, readRules: ReadRules = readNodeRules) {
  const assets = await countAssets(db)
  return [...(await readRulesInForce(db)).values()].map(former => {
    const rules = readRules(former.zone)
    return { assets: assets.get(former.zone) ?? 0, former, rules, difference: compare(former, rules) }
  })
}

function compare(former: ZoneRules, rules: ZoneRules): RuleDifference | undefined {
  const instant = former.firstDifference(rules, 0)
  if (instant === undefined) return undefined
  const days = [former, rules].map(each => dayNumber(dayAt(each, instant).date))
  return { former, rules, instant, since: dateOf(Math.min(...days)) }
}

/** Returns all zones that have rules, by name. */
export async function compareZones(db: ClientBase | Pool, readRules?: ReadRules): Promise<ComparedZone[]> {
  const compared: ComparedZone[] = []
  for (const { assets, former, rules, difference } of await compareRules(db, readRules)) {
    const { zone, version } = former
    compared.push({
      zone,
      version,
      node_version: rules.version,
      differs_from: difference ? new Date(difference.instant * 1000).toISOString().replace('.000', '') : null,
      assets,
      sensor_days: difference ? await countDays(db, zone, difference.since) : 0,
    })
  }
  return compared
}

/** Returns a sentence that says what to do about zones with rules that are older than those of this Node.js. */
export const updateDue = (zones: readonly string[]): string =>
  `this Node.js has later rules (${NODE_RULES_VERSION}) of the time zones ${zones.join(', ')} than those in force: see \`partner-metrics zones\``

/** Returns the zones whose rules in force are not those of this Node.js. Without another version there are none. */
export async function readOutdatedZones(db: ClientBase | Pool): Promise<string[]> {
  const { rows } = await db.query<{ isCurrent: boolean }>(
    'SELECT bool_and(version = $1) AS "isCurrent" FROM zone_rules WHERE in_force',
    [NODE_RULES_VERSION],
  )
  if (rows[0]?.isCurrent !== false) return []
  const newer = (await readDifferences(db)).filter(({ former, rules }) => rules.version > former.version)
  return newer.map(({ former }) => former.zone)
}

async function countAssets(db: ClientBase | Pool): Promise<Map<string, number>> {
  const { rows } = await db.query<{ zone: string; assets: number }>(
    'SELECT time_zone AS zone, count(*)::integer AS assets FROM assets GROUP BY time_zone',
  )
  return new Map(rows.map(({ zone, assets }) => [zone, assets]))
}

async function countDays(db: ClientBase | Pool, zone: string, since: string): Promise<number> {
  const { rows } = await db.query<{ days: number }>(
    `SELECT count(*)::integer AS days FROM assets a JOIN sensor_days d ON d.asset = a.number AND d.date >= $2
     WHERE a.time_zone = $1`,
    [zone, since],
  )
  return rows[0]?.days ?? 0
}
