/** Reads how a host replicates. Any login may. */
import type { Pool } from 'pg'

interface ReplicaSettings {
  isStandby: boolean
  /** Whether the primary keeps the rows that are being read here. */
  hasFeedback: boolean
  /** For so long, a read may hold back the replay of changes; negative without a limit. */
  maxDelayMs: number
}

export async function readReplicaSettings(reader: Pool): Promise<ReplicaSettings> {
  const { rows } = await reader.query(
    `SELECT pg_is_in_recovery() AS "isStandby", current_setting('hot_standby_feedback')::boolean AS "hasFeedback",
       (SELECT setting::integer FROM pg_settings WHERE name = 'max_standby_streaming_delay') AS "maxDelayMs"`,
  )
  return rows[0]
}

/** Returns the position up to which the primary has written, after a commit at least that of the commit. */
export async function readWrittenPosition(owner: Pool): Promise<string> {
  const { rows } = await owner.query('SELECT pg_current_wal_flush_lsn()::text AS lsn')
  return rows[0].lsn
}

/** Returns whether a host has replayed a position; so has the primary. */
export async function hasReplayed(reader: Pool, position: string): Promise<boolean> {
  const { rows } = await reader.query(
    'SELECT NOT pg_is_in_recovery() OR coalesce(pg_last_wal_replay_lsn() >= $1::pg_lsn, false) AS "hasReplayed"',
    [position],
  )
  return rows[0].hasReplayed
}
