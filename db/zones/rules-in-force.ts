/** The time zone rules of a database for the owner's commands, which hold the lock of imports: they cannot change meanwhile. */
import type { ClientBase, Pool } from 'pg'
import { LocalDayCache } from '../calendar/local-day-cache'
import { readNodeRules, UTC, ZoneRules } from '../calendar/zone-rules'

/**
 * Returns local days by the rules in force. Rules that are added later are not among them.
 *
 * @param fileZone the time zone of a file: if it has no rules in force, those of this Node.js, as a new zone gets them
 */
export async function loadLocalDays(client: ClientBase, fileZone?: string): Promise<LocalDayCache> {
  const rules = new Map([['UTC', UTC], ...(await readRulesInForce(client))])
  if (fileZone !== undefined && !rules.has(fileZone)) rules.set(fileZone, readNodeRules(fileZone))
  return new LocalDayCache(rules)
}

/** Returns the rules of all zones that have some, by name. */
export async function readRulesInForce(db: ClientBase | Pool): Promise<Map<string, ZoneRules>> {
  const { rows } = await db.query('SELECT zone, version, starts, offsets FROM zone_rules WHERE in_force ORDER BY zone')
  return new Map(
    rows.map(({ zone, version, starts, offsets }) => [zone, new ZoneRules(zone, version, starts.map(Number), offsets)]),
  )
}

/** Puts rules in force, in place of those of their zones. */
export async function storeRules(client: ClientBase | Pool, rules: readonly ZoneRules[]): Promise<void> {
  for (const { zone, version, starts, offsets } of rules) {
    await client.query('UPDATE zone_rules SET in_force = false WHERE zone = $1 AND in_force', [zone])
    await client.query('INSERT INTO zone_rules (zone, version, starts, offsets) VALUES ($1, $2, $3, $4)', [
      zone,
      version,
      starts,
      offsets,
    ])
  }
}

/** Puts the rules of this Node.js in force for zones that have none. */
export async function addMissingRules(client: ClientBase | Pool, zones: readonly string[]): Promise<void> {
  const { rows } = await client.query<{ zone: string }>(
    'SELECT zone FROM unnest($1::text[]) AS zone EXCEPT SELECT zone FROM zone_rules WHERE in_force',
    [zones],
  )
  await storeRules(
    client,
    rows.map(({ zone }) => readNodeRules(zone)),
  )
}
