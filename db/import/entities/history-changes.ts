/** The changes of installation histories by an import of sensors, and the stored counts that they move. */
import type { ClientBase } from 'pg'
import type { LocalDayCache } from '../../calendar/local-day-cache'
import { dayNumber, timestampOf } from '../../calendar/local-days'
import { type Installation, loadHistories, storeHistories } from '../counts/installations'
import { type Change, findUnplaced, moveCounts } from '../counts/move-counts'
import type { StagedRows } from '../staged-rows'
import { difference, findMixedDay, historyAfter, type SensorRow } from './installation-history'
import { refusalOf } from './unplaced-counts'

/** A staged row with what is stored of its sensor. Instants are in seconds since 1970. */
interface StagedSensor {
  line: number
  target: number | null
  asset: number | null
  company: number
  zone: string
  native_minutes: number
  installed_at: number | null
  removed_at: number | null
  stored_asset: number | null
  stored_installed_at: number | null
  stored_removed_at: number | null
  now: number
}

/** The changed history of a row's sensor. */
interface ChangedHistory {
  sensor: number | null
  history: readonly Installation[]
  changed: { from: number; to: number }
}

export class HistoryChanges {
  /** By line of the file. */
  private readonly changes = new Map<number, ChangedHistory>()

  constructor(
    private readonly client: ClientBase,
    private readonly days: LocalDayCache,
  ) {}

  /** Works out the histories after the import, and rejects rows after which a stored count would have no place. */
  async validate(rows: StagedRows): Promise<void> {
    const staged = await this.readStaged()
    const histories = await loadHistories(
      this.client,
      staged.flatMap(({ target }) => target ?? []),
    )
    const countedUntil = await this.readLastCounts()
    const reasons = new Map<number, string>()
    const bounds: [line: number, from: number | null, to: number | null][] = []
    for (const row of staged) {
      const before = (row.target && histories.get(row.target)) || []
      const history = historyAfter(before, rowOf(row, rows, countedUntil.get(row.line) ?? null))
      if (typeof history === 'string') {
        reasons.set(row.line, history)
        continue
      }
      const mixed = findMixedDay(history, this.days)
      if (mixed) {
        reasons.set(row.line, this.mixedDayReason(mixed))
        continue
      }
      const changed = difference(before, history)
      if (changed) this.changes.set(row.line, { sensor: row.target, history, changed })
      const last = history.at(-1)
      if (last) bounds.push([row.line, last.from, last.to])
      else {
        const isNew = before.length === 0
        const installedAt = rows.has('installed_at') ? row.installed_at : isNew ? row.stored_installed_at : null
        bounds.push([
          row.line,
          installedAt,
          rows.has('removed_at') ? row.removed_at : isNew ? row.stored_removed_at : null,
        ])
      }
    }
    await this.setBounds(bounds)
    await rows.rejectLines(reasons)
    await rows.reject(`'removed_at is not after installed_at'`, 's.ended <= s.begun')
    await this.rejectUnplaced(rows)
  }

  /** Stores the changed histories of the rows that were not rejected, and moves the counts. */
  async store(): Promise<void> {
    const { rows } = await this.client.query<{ line: number; sensor: number }>(`
      SELECT s.line, t.number AS sensor FROM staged s JOIN sensors t ON t.number = s.target
      UNION ALL SELECT s.line, t.number FROM staged s JOIN sensors t ON t.id = s.id WHERE s.target IS NULL`)
    const histories = new Map<number, readonly Installation[]>()
    for (const { line, sensor } of rows) {
      const change = this.changes.get(line)
      if (change) histories.set(sensor, change.history)
    }
    await storeHistories(this.client, histories)
    await moveCounts(
      this.client,
      this.changeOf(({ sensor }) => sensor !== null && histories.has(sensor)),
    )
  }

  private async readStaged(): Promise<StagedSensor[]> {
    const { rows } = await this.client.query<StagedSensor>(`
      SELECT s.line, s.target, s.asset, s.company, a.time_zone AS zone, s.native_minutes,
        extract(epoch FROM s.installed_at)::float8 AS installed_at, extract(epoch FROM s.removed_at)::float8 AS removed_at,
        t.asset AS stored_asset, extract(epoch FROM t.installed_at)::float8 AS stored_installed_at,
        extract(epoch FROM t.removed_at)::float8 AS stored_removed_at, extract(epoch FROM now())::float8 AS now
      FROM staged s LEFT JOIN sensors t ON t.number = s.target LEFT JOIN assets a ON a.number = s.asset`)
    return rows
  }

  /** The end of the last local day with counts on the asset that a sensor leaves, by line, where no instant is given. */
  private async readLastCounts(): Promise<Map<number, number>> {
    const { rows } = await this.client.query<{ line: number; zone: string; date: string }>(`
      SELECT s.line, a.time_zone AS zone, max(d.date) AS date
      FROM staged s JOIN sensors t ON t.number = s.target JOIN assets a ON a.number = t.asset
        JOIN sensor_days d ON (d.sensor, d.asset) = (t.number, t.asset)
      WHERE s.installed_at IS NULL AND s.asset IS DISTINCT FROM t.asset GROUP BY s.line, a.time_zone`)
    return new Map(rows.map(({ line, zone, date }) => [line, this.days.day(zone, dayNumber(date)).end]))
  }

  /** Sets the instants that are stored with the sensors. */
  private async setBounds(bounds: readonly [line: number, from: number | null, to: number | null][]): Promise<void> {
    const infinite = (instant: number | null) => (instant === Number.POSITIVE_INFINITY ? null : instant)
    await this.client.query(
      `UPDATE staged s SET begun = to_timestamp(b.begun), ended = to_timestamp(b.ended)
       FROM unnest($1::bigint[], $2::float8[], $3::float8[]) AS b (line, begun, ended) WHERE b.line = s.line`,
      [bounds.map(([line]) => line), bounds.map(([, from]) => from), bounds.map(([, , to]) => infinite(to))],
    )
  }

  private async rejectUnplaced(rows: StagedRows): Promise<void> {
    const lines = new Map([...this.changes].map(([line, { sensor }]) => [sensor, line]))
    const unplaced = await findUnplaced(
      this.client,
      this.changeOf(() => true),
      'sensor',
    )
    await rows.rejectLines(
      new Map([...unplaced].map(([sensor, counts]) => [lines.get(sensor) as number, refusalOf(counts)])),
    )
  }

  private changeOf(condition: (change: ChangedHistory) => boolean): Change {
    const changes = [...this.changes.values()].filter(condition)
    const sensors = changes.flatMap(({ sensor, changed }) => (sensor === null ? [] : [{ sensor, ...changed }]))
    const histories = changes.flatMap(({ sensor, history }) => (sensor === null ? [] : [[sensor, history] as const]))
    return { histories: new Map(histories), days: { sensors } }
  }

  private mixedDayReason({ zone, from }: Installation): string {
    const { start } = this.days.dayAt(zone, Math.floor(from))
    const { end } = this.days.dayAt(zone, start)
    const choices = `${timestampOf(zone, start)} or ${timestampOf(zone, end)}`
    return `installed_at has to be the start of a local day, because the sensor counts another grain from then on: ${choices}`
  }
}

function rowOf(row: StagedSensor, rows: StagedRows, countedUntil: number | null): SensorRow {
  const { asset, company, zone } = row
  return {
    place: asset === null ? undefined : { asset, company, zone },
    namesAsset: rows.has('asset_id'),
    installedAt: rows.has('installed_at') ? row.installed_at : undefined,
    removedAt: rows.has('removed_at') ? row.removed_at : undefined,
    nativeMinutes: row.native_minutes,
    storedAsset: row.stored_asset,
    storedInstalledAt: row.stored_installed_at,
    countedUntil,
    now: row.now,
  }
}
