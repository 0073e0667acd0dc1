/** Deletes sensors and installations: the only statements of deletions that know how these are stored. */
import type { ClientBase } from 'pg'

/** SQL: all installations, present and former ones. */
export const INSTALLATIONS = `(
  SELECT number AS sensor, asset, native_minutes, installed_at, removed_at FROM sensors WHERE asset IS NOT NULL
  UNION ALL SELECT sensor, asset, native_minutes, installed_at, removed_at FROM former_installations
)`

/** The sensors whose every installation was on one of these assets. */
export async function findSensorsOnlyAt(client: ClientBase, assets: readonly number[]): Promise<number[]> {
  const { rows } = await client.query<{ sensor: number }>(
    `SELECT sensor FROM ${INSTALLATIONS} i GROUP BY sensor HAVING bool_and(asset = ANY ($1))
     EXCEPT SELECT sensor FROM sensor_days WHERE sensor IN (SELECT sensor FROM ${INSTALLATIONS} i WHERE asset = ANY ($1))
       AND asset <> ALL ($1)`,
    [assets],
  )
  return rows.map(({ sensor }) => sensor)
}

/** How many installations there are on some assets or of some sensors. */
export async function countInstallations(
  client: ClientBase,
  by: { assets: readonly number[]; sensors: readonly number[] },
): Promise<number> {
  const { rows } = await client.query<{ installations: number }>(
    `SELECT count(*) AS installations FROM ${INSTALLATIONS} i WHERE asset = ANY ($1) OR sensor = ANY ($2)`,
    [by.assets, by.sensors],
  )
  return rows[0]?.installations ?? 0
}

/** Deletes the installations on some assets, whose counts were deleted before. Their sensors stay. */
export async function deleteInstallationsAt(client: ClientBase, assets: readonly number[]): Promise<void> {
  await client.query('DELETE FROM former_installations WHERE asset = ANY ($1)', [assets])
  await client.query(
    `UPDATE sensors SET asset = NULL, company = NULL, installed_at = NULL, removed_at = NULL WHERE asset = ANY ($1)`,
    [assets],
  )
}

/** Deletes sensors, whose counts were deleted before, with their installations. */
export async function deleteSensors(client: ClientBase, sensors: readonly number[]): Promise<void> {
  await client.query('DELETE FROM former_installations WHERE sensor = ANY ($1)', [sensors])
  await client.query('DELETE FROM sensors WHERE number = ANY ($1)', [sensors])
}
