/** Health checks from rows. Of each sensor only the last check is kept; older ones change nothing. */
import type { ClientBase } from 'pg'
import { loadZones } from '../../calendar/time-zones'
import { Clocks } from '../counts/clock'
import { StagedRows } from '../counts/staged-rows'
import { instant, oneOf, reference, required, text } from '../csv/values'
import type { Tally } from '../figures'
import type { RowSink } from '../row-sink'

export const HEALTH = ['sensor', 'checked_at', 'status', 'last_seen_at', 'reason'] as const

export async function takeHealth(client: ClientBase, present: readonly string[], tally: Tally): Promise<RowSink> {
  const clocks = new Clocks()
  const zones = await loadZones(client)
  const columns = {
    sensor: required(reference),
    checked_at: required(instant(clocks)),
    status: required(oneOf(['healthy', 'degraded', 'offline', 'unknown'])),
    last_seen_at: instant(clocks),
    reason: text(500),
  }
  const zoneOf = (value: (column: string) => string) => zones.ofSensor(value('sensor')) ?? 'UTC'
  const rows = await StagedRows.open(client, columns, present, tally, ['target integer'], zoneOf)
  return {
    take: (values, line) => rows.take(values, line),
    settle: () => rows.settle(),
    check: async () => {
      await rows.flush()
      await rows.resolve('sensor', 'target', { table: 'sensors', by: ['serial', 'id'] })
      await rows.rejectTwins('target, checked_at', 'this check of the sensor')
      await rows.reportFaults()
    },
    store: async () => {
      // What a check does not tell: when the sensor was seen last is still known, an older check's reason is over.
      const seen = rows.has('last_seen_at') ? 's.last_seen_at' : 't.health_last_seen_at'
      const reason = rows.has('reason')
        ? 's.reason'
        : 'CASE WHEN s.checked_at = t.health_checked_at THEN t.health_reason END'
      const { rows: all } = await client.query('SELECT count(*)::integer AS n FROM staged')
      const { rowCount } = await client.query(`
        UPDATE sensors t SET health_status = s.status, health_checked_at = s.checked_at,
          health_last_seen_at = ${seen}, health_reason = ${reason}
        FROM (SELECT DISTINCT ON (target) * FROM staged ORDER BY target, checked_at DESC) s
        WHERE t.number = s.target AND (t.health_checked_at IS NULL OR t.health_checked_at <= s.checked_at)
          AND (t.health_status, t.health_checked_at, t.health_last_seen_at, t.health_reason)
            IS DISTINCT FROM (s.status, s.checked_at, ${seen}, ${reason})`)
      const stored = rowCount ?? 0
      return { stored, unchanged: all[0].n - stored + rows.repeated }
    },
  }
}
