/** Finds and deletes installations and sensors. */
import type { ClientBase } from 'pg'

/** Returns the sensors whose every installation was on one of these assets. */
export async function findSensorsOnlyAt(client: ClientBase, assets: readonly number[]): Promise<number[]> {
  const { rows } = await client.query<{ sensor: number }>(
    `SELECT sensor FROM installations WHERE asset = ANY ($1)
     EXCEPT SELECT sensor FROM installations WHERE asset <> ALL ($1)`,
    [assets],
  )
  return rows.map(({ sensor }) => sensor)
}

/** Counts the installations on some assets or of some sensors. */
export async function countInstallations(
  client: ClientBase,
  by: { assets: readonly number[]; sensors: readonly number[] },
): Promise<number> {
  const { rows } = await client.query<{ installations: number }>(
    'SELECT count(*) AS installations FROM installations WHERE asset = ANY ($1) OR sensor = ANY ($2)',
    [by.assets, by.sensors],
  )
  return rows[0]?.installations ?? 0
}

/** Deletes the installations on some assets, whose counts were deleted before. Their sensors stay. */
export async function deleteInstallationsAt(client: ClientBase, assets: readonly number[]): Promise<void> {
  const { rows } = await client.query<{ sensor: number }>(
    'DELETE FROM installations WHERE asset = ANY ($1) RETURNING sensor',
    [assets],
  )
  await client.query(
    `UPDATE sensors s SET asset = NULL, company = NULL, installed_at = i.installed_at, removed_at = i.removed_at
     FROM sensors x LEFT JOIN LATERAL (
       SELECT installed_at, removed_at FROM installations WHERE sensor = x.number ORDER BY installed_at DESC LIMIT 1
     ) i ON true
     WHERE s.number = x.number AND x.number = ANY ($1) AND (x.asset = ANY ($2) OR x.asset IS NULL)`,
    [rows.map(({ sensor }) => sensor), assets],
  )
}

/** Deletes sensors, whose counts were deleted before, with their installations. */
export async function deleteSensors(client: ClientBase, sensors: readonly number[]): Promise<void> {
  await client.query('DELETE FROM installations WHERE sensor = ANY ($1)', [sensors])
  await client.query('DELETE FROM sensors WHERE number = ANY ($1)', [sensors])
}
