/** Imports health checks. Only the latest check of a sensor is stored; older ones change nothing. */
import type { ClientBase } from 'pg'
import { instant, oneOf, reference, required, text } from '../../db/columns'
import { loadLocalDays } from '../../db/zones/rules-in-force'
import type { RowCounter } from '../row-counter'
import type { RowSink, SinkOptions } from '../row-sink'
import { StagedRows } from '../staged-rows'
import { loadTimeZones } from './time-zones'

export const HEALTH_COLUMNS = ['sensor', 'checked_at', 'status', 'last_seen_at', 'reason'] as const

export async function openHealth(
  client: ClientBase,
  present: readonly string[],
  counter: RowCounter,
  { timeZone }: SinkOptions,
): Promise<RowSink> {
  const time = instant(await loadLocalDays(client, timeZone), timeZone)
  const zones = await loadTimeZones(client)
  const columns = {
    sensor: required(reference),
    checked_at: required(time),
    status: required(oneOf(['healthy', 'degraded', 'offline', 'unknown'])),
    last_seen_at: time,
    reason: text(500),
  }
  const rows = await StagedRows.create(client, columns, present, counter, {
    extraColumns: ['target integer'],
  })
  return {
    add: (values, line) => rows.add(values, line, zones.ofSensor(rows.bindRow(values)('sensor'))),
    flushIfFull: () => rows.flushIfFull(),
    validate: async () => {
      await rows.flush()
      await rows.resolve('sensor', 'target', 'sensors')
      await rows.rejectConflicts('target, checked_at', 'this check of the sensor')
      await rows.reportRejected()
    },
    store: async () => {
      // Without last_seen_at in the file the stored one is still right; the reason of an older check is not.
      const seen = rows.has('last_seen_at') ? 's.last_seen_at' : 't.health_last_seen_at'
      const reason = rows.has('reason')
        ? 's.reason'
        : 'CASE WHEN s.checked_at = t.health_checked_at THEN t.health_reason END'
      const count = await rows.count()
      const { rowCount } = await client.query(`
        UPDATE sensors t SET health_status = s.status, health_checked_at = s.checked_at,
          health_last_seen_at = ${seen}, health_reason = ${reason}
        FROM (SELECT DISTINCT ON (target) * FROM staged ORDER BY target, checked_at DESC) s
        WHERE t.number = s.target AND (t.health_checked_at IS NULL OR t.health_checked_at <= s.checked_at)
          AND (t.health_status, t.health_checked_at, t.health_last_seen_at, t.health_reason)
            IS DISTINCT FROM (s.status, s.checked_at, ${seen}, ${reason})`)
      const stored = rowCount ?? 0
      return { stored, unchanged: count - stored + rows.repeated }
    },
  }
}
