/**
 * Puts the time zone rules of this Node.js in force. The stored days from the first difference on are cut again from
 * the instants of their counts; daily counts, origins and demographics keep their dates.
 */
import type { ClientBase, Pool } from 'pg'
import { LocalDayCache } from '../../db/calendar/local-day-cache'
import type { ZoneRules } from '../../db/calendar/zone-rules'
import type { OnWait } from '../../db/locks'
import { recordOperation } from '../../db/operations/record'
import { checkClosedMonths, type RestatementOptions, stateReason } from '../../db/operations/restatement'
import { OperatorError } from '../../db/operator-error'
import { inTransaction } from '../../db/transaction'
import {
  type ComparedZone,
  compareZones,
  type ReadRules,
  type RuleDifference,
  readDifferences,
} from '../../db/zones/compare-rules'
import { readRulesInForce, storeRules } from '../../db/zones/rules-in-force'
import { loadHistoriesOn, readSerials } from '../counts/installations'
import { findMixedDay } from '../entities/installation-history'
import { findUnplaced, moveCounts } from './move-counts'
import { explainRefusal } from './placement'
import type { PlacementChange } from './relocation'

interface UpdateOptions extends RestatementOptions {
  dryRun?: boolean
  onWait?: OnWait
  readRules?: ReadRules
}

/**
 * Updates the rules of all zones, in one transaction.
 *
 * @returns the zones that are updated, as they were before
 * @throws OperatorError ZONE_RULES_OLDER when this Node.js has older rules than those in force;
 *   ZONE_RULES_REFUSED when a stored count would have no interval
 */
export async function updateZones(
  pool: Pool,
  { dryRun = false, readRules, onWait, ...restatement }: UpdateOptions = {},
): Promise<ComparedZone[]> {
  const run = async (client: ClientBase) => {
    const differences = await readDifferences(client, readRules)
    checkVersions(differences)
    const updated = (await compareZones(client, readRules)).filter(({ differs_from }) => differs_from !== null)
    await stateReason(client, 'zone_rules', restatement)
    if (differences.length > 0) await updateRules(client, differences)
    const figures = {
      zones: updated.length,
      assets: updated.reduce((sum, { assets }) => sum + assets, 0),
      sensor_days: updated.reduce((sum, { sensor_days }) => sum + sensor_days, 0),
    }
    const versions = updated.map(({ zone, version, node_version }) => `${zone} ${version} to ${node_version}`)
    if (updated.length > 0) await recordOperation(client, { command: 'zones update', details: { versions }, figures })
    if (dryRun) await checkClosedMonths(client)
    return { commit: !dryRun, result: updated }
  }
  return inTransaction(pool, run, onWait)
}

function checkVersions(differences: readonly RuleDifference[]): void {
  for (const { former, rules } of differences) {
    if (rules.version < former.version) {
      const reason = `the rules of ${former.zone} in force are ${former.version}, and this Node.js has ${rules.version}`
      throw new OperatorError('ZONE_RULES_OLDER', `${reason}: run it with a later Node.js; nothing was changed`)
    }
  }
}

async function updateRules(client: ClientBase, differences: readonly RuleDifference[]): Promise<void> {
  const before = await readRulesInForce(client)
  const after = new Map<string, ZoneRules>([...before, ...differences.map(({ rules }) => [rules.zone, rules] as const)])
  const since = new Map(differences.map(({ former, since }) => [former.zone, since]))
  const { rows } = await client.query<{ asset: number; zone: string }>(
    'SELECT number AS asset, time_zone AS zone FROM assets WHERE time_zone = ANY ($1)',
    [[...since.keys()]],
  )
  const assets = new Map(rows.map(({ asset, zone }) => [asset, since.get(zone)!]))
  const change: PlacementChange = {
    before: new LocalDayCache(before),
    after: new LocalDayCache(after),
    histories: await loadHistoriesOn(client, [...assets.keys()]),
    days: { assets },
  }
  await checkPlaces(client, change)
  await storeRules(
    client,
    differences.map(({ rules }) => rules),
  )
  await client.query(
    `UPDATE assets SET rules = z.number FROM zone_rules z WHERE z.zone = time_zone AND z.in_force AND assets.number = ANY ($1)`,
    [[...assets.keys()]],
  )
  await moveCounts(client, change)
  await touchDays(client, assets)
}

/** Lists the days whose coverage or labels may have changed in the feed. */
async function touchDays(client: ClientBase, assets: ReadonlyMap<number, string>): Promise<void> {
  await client.query(
    `INSERT INTO touched (kind, asset, company, month, days)
     SELECT d.kind, d.asset, d.company, d.month, bit_or(1 << extract(day FROM days.date)::integer - 1)
     FROM unnest($1::integer[], $2::date[]) AS c (asset, first)
       JOIN asset_months d ON d.asset = c.asset AND d.kind = 'impressions' AND d.month >= month_number(c.first)
       CROSS JOIN LATERAL (
         SELECT day::date AS date FROM generate_series(greatest(c.first, month_start(d.month)), month_start(d.month + 1) - 1, interval '1 day') AS day
       ) AS days
     GROUP BY d.kind, d.asset, d.company, d.month`,
    [[...assets.keys()], [...assets.values()]],
  )
}

/** @throws OperatorError ZONE_RULES_REFUSED, with the commands that remove what is in the way */
async function checkPlaces(client: ClientBase, change: PlacementChange): Promise<void> {
  const serials = await readSerials(client, change.histories.keys())
  for (const [sensor, history] of change.histories) {
    const mixed = findMixedDay(history, change.after)
    if (!mixed) continue
    const reason = `sensor ${serials.get(sensor)} would count two grains on one local day of ${mixed.zone}`
    throw new OperatorError('ZONE_RULES_REFUSED', `${reason}: change its installed_at first; nothing was changed`)
  }
  const [unplaced] = [...(await findUnplaced(client, change, 'sensor')).values()].flat()
  if (!unplaced) return
  const { obstacle, sensor, zone, counts, first, last } = unplaced
  const serial = serials.get(sensor)!
  if (obstacle === 'meeting') {
    const reason = explainRefusal([unplaced], () => serial)
    throw new OperatorError('ZONE_RULES_REFUSED', `${reason}; nothing was changed`)
  }
  const [from, to] = [first, last].map(time => time.slice(0, 10))
  const remedy = `partner-metrics delete impressions --sensor ${serial} --from ${from} --to ${to}`
  const reason = `${counts} stored ${counts === 1 ? 'count' : 'counts'} of sensor ${serial} from ${first} to ${last} would have no interval in ${zone}`
  throw new OperatorError('ZONE_RULES_REFUSED', `${reason}: delete them first (${remedy}); nothing was changed`)
}
