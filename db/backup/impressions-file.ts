/**
 * The file of sensor-days. Counts are a list of whole numbers, one for each native interval of the local day, separated by
 * semicolons; empty is a missing count. Totals and hours follow from them.
 */
import type { ClientBase } from 'pg'
import { intervalStarts, type LocalDayCache } from '../calendar/local-day-cache'
import { dayNumber } from '../calendar/local-days'
import { MISSING, unpack } from '../calendar/packed-counts'
import { packDay } from '../counts/sensor-day'
import { createStagingTables, type StagedDay, stageDays } from '../counts/staged-days'
import { FileError } from '../file-errors'
import { loadLocalDays } from '../zones/rules-in-force'
import type { BackupFile } from './backup-file'

const STORED = ['asset', 'company', 'sensor', 'native_minutes', 'date', 'impressions', 'observed', 'hours', 'counts']

export const impressionsFile: BackupFile = {
  name: 'impressions',
  since: 1,
  table: 'sensor_days',
  columns: ['asset_id', 'sensor_id', 'date', 'native_minutes', 'counts'],
  tableColumns: STORED,
  isEmptyAtFirst: true,
  // With the zone that unpacking takes. No value has a tab or a line break.
  select: `SELECT a.id, s.id, d.date, d.native_minutes, encode(d.counts, 'hex'), a.time_zone
    FROM sensor_days d JOIN assets a ON a.number = d.asset JOIN sensors s ON s.number = d.sensor
    ORDER BY d.asset, d.date, d.sensor`,
  async formatter(client) {
    const days = await loadLocalDays(client)
    return row => unpackRow(row, days)
  },
  async store(client, batches) {
    await createStagingTables(client)
    const [days, stored] = [await loadLocalDays(client), await readStored(client)]
    let rows = 0
    for await (const records of batches) {
      const lines = records.toString('latin1').trimEnd().split('\n')
      await stageDays(client, 'staged_days', packLines(lines, days, stored))
      const { rowCount } = await client.query(
        `INSERT INTO sensor_days (${STORED}) SELECT ${STORED} FROM staged_days ORDER BY part`,
      )
      await client.query('TRUNCATE staged_days')
      rows += rowCount!
    }
    return rows
  },
}

function unpackRow(row: string, days: LocalDayCache): string {
  const [asset = '', sensor = '', date = '', minutes = '', packed = '', zone = ''] = row.split('\t')
  const { length } = intervalStarts(days.day(zone, dayNumber(date)), Number(minutes))
  const counts = unpack(Buffer.from(packed, 'hex'), length)
  let list = ''
  for (let i = 0; i < length; i++) {
    if (i > 0) list += ';'
    if (counts[i] !== MISSING) list += counts[i]
  }
  return `${asset},${sensor},${date},${minutes},${list}\n`
}

/** The assets and sensors of a database by their ids. */
interface StoredEntities {
  assets: Map<string, { number: number; company: number; zone: string }>
  sensors: Map<string, number>
}

async function readStored(client: ClientBase): Promise<StoredEntities> {
  const assets = await client.query('SELECT id, number, company, time_zone AS zone FROM assets')
  const sensors = await client.query('SELECT id, number FROM sensors')
  return {
    assets: new Map(assets.rows.map(({ id, ...asset }) => [id, asset])),
    sensors: new Map(sensors.rows.map(({ id, number }) => [id, number])),
  }
}

function* packLines(
  lines: readonly string[],
  days: LocalDayCache,
  { assets, sensors }: StoredEntities,
): Generator<StagedDay> {
  for (const line of lines) {
    const [assetId = '', sensorId = '', date = '', minutes, list = ''] = line.split(',')
    const [asset, sensor] = [assets.get(assetId), sensors.get(sensorId)]
    if (!asset || sensor === undefined) {
      throw new FileError(`impressions: there is no asset ${assetId} or no sensor ${sensorId}`)
    }
    const nativeMinutes = Number(minutes)
    const day = days.day(asset.zone, dayNumber(date))
    const starts = intervalStarts(day, nativeMinutes)
    const counts = list.split(';').map(count => (count === '' ? MISSING : Number(count)))
    if (counts.length !== starts.length) {
      const reason = `${date} has ${starts.length} intervals by the rules of ${asset.zone}, not ${counts.length}`
      throw new FileError(
        `impressions: asset ${assetId}, sensor ${sensorId}: ${reason}: import it with the Node.js that stored it, then run \`partner-metrics zones update\` with this one`,
      )
    }
    const packed = packDay(day, starts, counts)
    yield { asset: asset.number, company: asset.company, sensor, nativeMinutes, day: day.number, packed }
  }
}
