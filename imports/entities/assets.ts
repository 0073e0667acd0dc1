/** Imports assets. The company of an asset never changes. When its time zone does, the days of its counts follow. */
import type { ClientBase } from 'pg'
import { ATTRIBUTES } from '../../db/assets/attributes'
import { EXTERNAL_ID_PREFIX, externalId, isExternalId, MAX_SYSTEMS, systemOf } from '../../db/assets/external-ids'
import { rejectedVenueTypes } from '../../db/assets/venue-types'
import { FileError } from '../../db/file-errors'
import { addMissingRules, loadLocalDays } from '../../db/zones/rules-in-force'
import { loadHistoriesOn, readSerials } from '../counts/installations'
import { findUnplaced, moveCounts } from '../relocation/move-counts'
import { explainRefusal } from '../relocation/placement'
import type { PlacementChange } from '../relocation/relocation'
import type { StagedRows } from '../staged-rows'
import type { EntityDefinition } from './entity-import'
import { findMixedDay } from './installation-history'

const COLUMNS = Object.fromEntries(ATTRIBUTES.flatMap(({ name, file }) => (file ? [[name, file]] : [])))

/** Returns the definition for one import. */
export function assets(client: ClientBase, present: readonly string[]): EntityDefinition {
  const zones = new ZoneChanges(client)
  const external = present.filter(isExternalId)
  if (external.length > MAX_SYSTEMS) {
    throw new FileError(
      `has ${external.length} columns ${EXTERNAL_ID_PREFIX}NAME: an asset has at most ${MAX_SYSTEMS} ids in other systems`,
    )
  }
  return {
    table: 'assets',
    columns: { ...COLUMNS, ...Object.fromEntries(external.map(column => [column, externalId])) },
    extraColumns: ['company integer'],
    replacedColumns: ['company_id', ...external],
    storedColumns: has => ({
      ...(has('company_id') && { company: 's.company' }),
      ...(external.length > 0 && { external_ids: mergeExternalIds(external) }),
    }),
    async validate(rows) {
      const final = (column: string) => (rows.has(column) ? `s.${column}` : `t.${column}`)
      await rows.resolve('company_id', 'company', 'companies')
      await rows.reject(
        `'company_id cannot change: an asset keeps its company'`,
        't.number = s.target AND t.company <> s.company',
        'assets t',
      )
      await rows.reject(
        `'region ' || ${final('region')} || ' is not in country ' || ${final('country')}`,
        `x.line = s.line AND left(${final('region')}, 2) <> ${final('country')}`,
        'staged x LEFT JOIN assets t ON t.number = x.target',
      )
      if (rows.has('venue_type_id') || rows.has('venue_taxonomy')) await rows.reject(...rejectedVenueTypes(final))
      if (external.length > 0) {
        await rows.reject(
          `'an asset has at most ${MAX_SYSTEMS} ids in other systems, but this one would have ' || ids.count`,
          `ids.line = s.line AND ids.count > ${MAX_SYSTEMS}`,
          `(SELECT s.line, (SELECT count(*) FROM jsonb_object_keys(${mergeExternalIds(external)})) AS count
            FROM staged s LEFT JOIN assets t ON t.number = s.target) AS ids`,
        )
      }
      await zones.validate(rows)
    },
    afterStore: () => zones.store(),
  }
}

/** Returns SQL: what is stored with the ids of the row; an empty one removes the id of its system. */
function mergeExternalIds(columns: readonly string[]): string {
  const given = columns.map(column => `'${systemOf(column)}', s."${column}"`).join(', ')
  return `jsonb_strip_nulls(coalesce(t.external_ids, '{}') || jsonb_build_object(${given}))`
}

export const ASSET_COLUMNS = Object.keys(COLUMNS)

interface ZoneChange {
  line: number
  asset: number
  before: string
  after: string
}

/** The changes of time zones by an import of assets. Origins and demographics have dates only, and keep them. */
class ZoneChanges {
  private changes: ZoneChange[] = []

  constructor(private readonly client: ClientBase) {}

  /** Adds the rules of new zones. Rejects rows after which a stored count would have no place. */
  async validate(rows: StagedRows): Promise<void> {
    if (!rows.has('time_zone')) return
    const { rows: zones } = await this.client.query('SELECT DISTINCT time_zone FROM staged WHERE time_zone IS NOT NULL')
    await addMissingRules(
      this.client,
      zones.map(({ time_zone }) => time_zone),
    )
    this.changes = await this.readChanges()
    if (this.changes.length === 0) return
    const lines = new Map(this.changes.map(({ asset, line }) => [asset, line]))
    const reasons = new Map<number, string>()
    const change = await this.buildChange(this.changes)
    const serials = await readSerials(this.client, change.histories.keys())
    for (const [sensor, history] of change.histories) {
      const mixed = findMixedDay(history, change.after)
      const line = mixed && lines.get(mixed.asset)
      const fault = 'would count two grains on one local day: change its installed_at first'
      if (line) reasons.set(line, `sensor ${serials.get(sensor)} ${fault}`)
    }
    for (const [asset, unplaced] of await findUnplaced(this.client, change, 'asset')) {
      reasons.set(
        lines.get(asset) as number,
        explainRefusal(unplaced, sensor => serials.get(sensor) as string),
      )
    }
    await rows.rejectLines(reasons)
  }

  /** Moves the counts of the assets whose rows were not rejected. */
  async store(): Promise<void> {
    if (this.changes.length === 0) return
    const { rows } = await this.client.query<{ line: number }>('SELECT line FROM staged')
    const remaining = new Set(rows.map(({ line }) => line))
    await moveCounts(this.client, await this.buildChange(this.changes.filter(({ line }) => remaining.has(line))))
  }

  private async readChanges(): Promise<ZoneChange[]> {
    const { rows } = await this.client.query<ZoneChange>(`
      SELECT s.line, t.number AS asset, t.time_zone AS before, s.time_zone AS after
      FROM staged s JOIN assets t ON t.number = s.target WHERE t.time_zone <> s.time_zone`)
    return rows
  }

  private async buildChange(changes: readonly ZoneChange[]): Promise<PlacementChange> {
    const assets = changes.map(({ asset }) => asset)
    const zones = new Map(changes.map(({ asset, after }) => [asset, after]))
    const histories = await loadHistoriesOn(this.client, assets)
    for (const history of histories.values()) {
      for (const installation of history) installation.zone = zones.get(installation.asset) ?? installation.zone
    }
    const days = await loadLocalDays(this.client)
    const formerZones = new Map(changes.map(({ asset, before }) => [asset, before]))
    const since = new Map(assets.map(asset => [asset, '-infinity']))
    return { histories, before: days, after: days, formerZones, days: { assets: since } }
  }
}
