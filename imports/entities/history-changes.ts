/** The changes of installation histories by an import of sensors, and the stored counts that they move. */
import { isDeepStrictEqual } from 'node:util'
import type { ClientBase } from 'pg'
import type { LocalDayCache } from '../../db/calendar/local-day-cache'
import { dayNumber } from '../../db/calendar/local-days'
import { COUNTED_DAYS } from '../../db/counts/set-aside-day'
import {
  type Hardware,
  type Installation,
  installationAt,
  loadHistories,
  storeHistories,
} from '../counts/installations'
import { findUnplaced, moveCounts } from '../relocation/move-counts'
import { explainRefusal } from '../relocation/placement'
import type { PlacementChange } from '../relocation/relocation'
import type { SinkOptions } from '../row-sink'
import type { StagedRows } from '../staged-rows'
import { formatNotices, type Notice, noticeKept } from './history-notices'
import {
  difference,
  findMixedDay,
  historyAfter,
  isSameHardware,
  presentInstallation,
  type SensorRow,
} from './installation-history'
import { readSensorRows, type StagedSensor } from './sensor-rows'

/** The changed history of a row's sensor. */
interface ChangedHistory {
  sensor: number | null
  history: readonly Installation[]
  /** The period of the counts that move; undefined where none do. */
  changed: { from: number; to: number } | undefined
}

/** The last row of a sensor, which is stored, and the lines of the earlier ones. */
interface FinalRow {
  line: number
  id: string | null
  /** Whether the last installation is another one. */
  moved: boolean
  /** The present hardware, which a row that repeats what is recorded for an earlier instant does not change. */
  kept: Hardware | undefined
  earlier: readonly number[]
}

export class HistoryChanges {
  /** By line of the file. */
  private readonly changes = new Map<number, ChangedHistory>()
  private readonly notices = new Map<number, Notice>()

  constructor(
    private readonly client: ClientBase,
    private readonly days: LocalDayCache,
    private readonly onNotice: SinkOptions['onNotice'],
  ) {}

  /** Works out the histories after the import, and rejects rows after which a stored count would have no place. */
  async validate(rows: StagedRows): Promise<void> {
    const { groups, reasons } = await readSensorRows(this.client)
    const sensors = groups.flatMap(([row]) => row?.target ?? [])
    const histories = await loadHistories(this.client, sensors)
    const lastCounts = await this.readLastCounts()
    const finals: FinalRow[] = []
    for (const group of groups) {
      const [{ target }] = group as [StagedSensor]
      const before = (target && histories.get(target)) || []
      let history: readonly Installation[] = before
      let repeats = false
      const accepted: StagedSensor[] = []
      for (const row of group) {
        const countedUntil = lastCounts.get(row.line) ?? null
        const result = historyAfter(history, { ...readRow(row, rows), countedUntil })
        if (typeof result === 'string') {
          reasons.set(row.line, result)
          continue
        }
        repeats = result === history
        history = result
        accepted.push(row)
      }
      const last = accepted.at(-1)
      if (!last) continue
      const mixed = findMixedDay(history, this.days)
      const final = this.finalRow(last, accepted, before, history)
      const notice = repeats && rows.has('asset_id') ? noticeKept(last, history) : undefined
      if (notice) this.notices.set(last.line, notice)
      const reason = mixed && this.mixedDayReason(mixed)
      if (reason) for (const { line } of accepted) reasons.set(line, reason)
      else finals.push(final)
    }
    await rows.rejectLines(reasons)
    await this.setFinal(finals)
    const rejected = await this.rejectUnplaced(rows, finals)
    const merged = finals.filter(({ line }) => !rejected.has(line))
    for (const isChange of [true, false]) {
      const sensors = merged.filter(({ line }) => this.changes.has(line) === isChange)
      await rows.merge(
        sensors.flatMap(({ earlier }) => earlier),
        isChange,
      )
    }
  }

  /** Stores the changed histories of the rows that were not rejected, and moves the counts. */
  async store(): Promise<void> {
    const { rows } = await this.client.query<{ line: number; sensor: number }>(`
      SELECT s.line, t.number AS sensor FROM staged s JOIN sensors t ON t.number = s.target
      UNION ALL SELECT s.line, t.number FROM staged s JOIN sensors t ON t.id = s.id WHERE s.target IS NULL
      ORDER BY line`)
    const histories = new Map<number, readonly Installation[]>()
    for (const { line, sensor } of rows) {
      const change = this.changes.get(line)
      if (change) histories.set(sensor, change.history)
    }
    await storeHistories(this.client, histories)
    await moveCounts(
      this.client,
      this.buildChange(({ sensor }) => sensor !== null && histories.has(sensor)),
    )
    const notices = rows.flatMap(({ line }) => this.notices.get(line) ?? [])
    if (this.onNotice && notices.length > 0)
      for (const each of await formatNotices(this.client, this.days, notices)) this.onNotice(each)
  }

  /** Returns by line without an instant the end of the last local day with counts on the asset that a sensor leaves. */
  private async readLastCounts(): Promise<Map<number, number>> {
    const { rows } = await this.client.query<{ line: number; zone: string; date: string }>(`
      SELECT s.line, a.time_zone AS zone, max(d.date) AS date
      FROM staged s JOIN sensors t ON t.number = s.target JOIN assets a ON a.number = t.asset
        JOIN ${COUNTED_DAYS} AS d ON (d.sensor, d.asset) = (t.number, t.asset)
      WHERE s.installed_at IS NULL AND s.asset IS DISTINCT FROM t.asset GROUP BY s.line, a.time_zone`)
    return new Map(rows.map(({ line, zone, date }) => [line, this.days.day(zone, dayNumber(date)).end]))
  }

  /** Records the change of a history, if there is one. */
  private finalRow(
    last: StagedSensor,
    accepted: readonly StagedSensor[],
    before: readonly Installation[],
    history: readonly Installation[],
  ): FinalRow {
    const { line, target: sensor } = last
    if (!isDeepStrictEqual(before, history)) {
      this.changes.set(line, { sensor, history, changed: difference(before, history) })
    }
    const present = presentInstallation(history)
    const hardware = readHardware(last)
    const stated = last.installed_at === null ? undefined : installationAt(history, last.installed_at)
    const isFormer = stated && stated !== present && isSameHardware(stated, hardware)
    const keeps = present && (isFormer || present.nativeMinutes !== hardware.nativeMinutes)
    return {
      ...{ line, moved: !isDeepStrictEqual(before.at(-1), history.at(-1)), kept: keeps ? present : undefined },
      id: accepted.find(({ id }) => id !== null)?.id ?? null,
      earlier: accepted.slice(0, -1).map(each => each.line),
    }
  }

  /** Sets what is stored of the sensors, and the id, which an earlier row may have. */
  private async setFinal(finals: readonly FinalRow[]): Promise<void> {
    await this.client.query(
      `UPDATE staged s SET moved = f.moved, id = coalesce(s.id, f.id), vendor = coalesce((f.kept ->> 'vendor')::integer, s.vendor),
         model = coalesce(f.kept ->> 'model', s.model), native_minutes = coalesce((f.kept ->> 'nativeMinutes')::smallint, s.native_minutes)
       FROM jsonb_to_recordset($1) AS f
         (line bigint, moved boolean, id text, kept json)
       WHERE f.line = s.line`,
      [JSON.stringify(finals)],
    )
  }

  private async rejectUnplaced(rows: StagedRows, finals: readonly FinalRow[]): Promise<ReadonlyMap<number, string>> {
    const unplaced = await findUnplaced(
      this.client,
      this.buildChange(() => true),
      'sensor',
    )
    const reasons = new Map<number, string>()
    for (const { line, earlier } of finals) {
      const sensor = this.changes.get(line)?.sensor
      const counts = sensor && unplaced.get(sensor)
      if (counts) for (const each of [line, ...earlier]) reasons.set(each, explainRefusal(counts))
    }
    await rows.rejectLines(reasons)
    return reasons
  }

  private buildChange(condition: (change: ChangedHistory) => boolean): PlacementChange {
    const changes = [...this.changes.values()].filter(condition)
    const sensors = changes.flatMap(({ sensor, changed }) =>
      sensor === null || !changed ? [] : [{ sensor, ...changed }],
    )
    const histories = changes.flatMap(({ sensor, history }) => (sensor === null ? [] : [[sensor, history] as const]))
    return { histories: new Map(histories), before: this.days, after: this.days, days: { sensors } }
  }

  private mixedDayReason({ zone, from }: Installation): string {
    const { start } = this.days.dayAt(zone, Math.floor(from))
    const { end } = this.days.dayAt(zone, start)
    const choices = `${this.days.format(zone, start)} or ${this.days.format(zone, end)}`
    return `installed_at has to be the start of a local day, because the sensor counts another grain from then on: ${choices}`
  }
}

function readRow(row: StagedSensor, rows: StagedRows): Omit<SensorRow, 'countedUntil'> {
  const { asset, company, zone } = row
  return {
    place: asset === null ? undefined : { asset, company, zone },
    namesAsset: rows.has('asset_id'),
    namesVendor: rows.has('vendor_id'),
    installedAt: rows.has('installed_at') ? row.installed_at : undefined,
    removedAt: rows.has('removed_at') ? row.removed_at : undefined,
    hardware: readHardware(row),
    now: row.now,
  }
}

const readHardware = ({ vendor, model, native_minutes }: StagedSensor): Hardware => ({
  ...{ vendor, model, nativeMinutes: native_minutes },
})
