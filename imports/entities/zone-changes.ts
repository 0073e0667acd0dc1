/**
 * The changes of time zones by an import of assets. The stored counts are assigned to local days again; origins and
 * demographics have dates only, and keep them.
 */
import type { ClientBase } from 'pg'
import { addMissingRules, loadLocalDays } from '../../db/zones/rules-in-force'
import { loadHistoriesOn, readSerials } from '../counts/installations'
import { findUnplaced, moveCounts } from '../relocation/move-counts'
import type { PlacementChange } from '../relocation/relocation'
import type { StagedRows } from '../staged-rows'
import { findMixedDay } from './installation-history'
import { explainRefusal } from './unplaced-counts'

interface ZoneChange {
  line: number
  asset: number
  before: string
  after: string
}

export class ZoneChanges {
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
