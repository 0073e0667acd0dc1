/**
 * How fast minutes are imported, and with how much memory: N million rows of a hundred sensors, ordered by sensor and then
 * by time, each file twice, then one late minute. Run with `npx tsc -p bench && node dist/bench/import.js [N]`.
 */
import { chmodSync, createReadStream, createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Pool } from 'pg'
import { openEmbedded } from '../db/embedded'
import { importFile, type Kind } from '../db/import'
import { migrate } from '../db/migrate'
import { openPool } from '../db/pools'

const SENSORS = 100

const serial = (sensor: number): string => `S-${String(sensor).padStart(4, '0')}`

const startOf = (minute: number): string => new Date(Date.UTC(2025, 0, 1, 0, minute)).toISOString().slice(0, 16)

/** Few people by night, more by day, never quite the same. */
const count = (sensor: number, minute: number): number => {
  const hour = Math.floor(minute / 60) % 24
  return (hour < 6 ? 2 : hour < 20 ? 20 : 8) + ((sensor * 7919 + minute * 104_729) % 13)
}

function* rowsOf(rows: number, order: 'sensor' | 'time'): Generator<string> {
  const minutes = Math.ceil(rows / SENSORS)
  yield 'sensor,start,impressions\n'
  const [outer, inner] = order === 'sensor' ? [SENSORS, minutes] : [minutes, SENSORS]
  for (let i = 0; i < outer; i++) {
    let lines = ''
    for (let j = 0; j < inner; j++) {
      const [sensor, minute] = order === 'sensor' ? [i, j] : [j, i]
      lines += `${serial(sensor)},${startOf(minute)},${count(sensor, minute)}\n`
      if (lines.length < 65_536) continue
      yield lines
      lines = ''
    }
    yield lines
  }
}

async function importText(pool: Pool, kind: Kind, lines: string[]): Promise<void> {
  await importFile(pool, kind, { name: kind, stream: Readable.from([lines.join('\n')]) })
}

async function prepare(pool: Pool): Promise<void> {
  const sensors = Array.from({ length: SENSORS }, (_, sensor) => sensor)
  await importText(pool, 'companies', ['name', 'Bench'])
  await importText(pool, 'vendors', ['name,own', 'Own,true'])
  await importText(pool, 'assets', [
    'legacy_id,company_id,name,media_type,format,latitude,longitude,country,time_zone',
    ...sensors.map(sensor => `${sensor + 1},Bench,Asset ${sensor},digital,billboard,52,13,DE,Europe/Madrid`),
  ])
  await importText(pool, 'sensors', [
    'serial,model,vendor_id,asset_id,installed_at',
    ...sensors.map(sensor => `${serial(sensor)},Counter,Own,${sensor + 1},2024-01-01`),
  ])
}

async function time(pool: Pool, what: string, stream: Readable): Promise<void> {
  const start = process.hrtime.bigint()
  const skipped: number[] = []
  const figures = await importFile(
    pool,
    'impressions',
    { name: what, stream },
    {
      skipFaulty: true,
      onFault: ({ line }) => skipped.push(line),
    },
  )
  const seconds = Number(process.hrtime.bigint() - start) / 1e9
  console.log(
    `${what.padEnd(24)} ${seconds.toFixed(2).padStart(7)} s ${Math.round(figures.read / seconds)
      .toLocaleString('en')
      .padStart(10)} rows/s`,
    `  ${Math.round(process.resourceUsage().maxRSS / 1024)} MB at most   ${JSON.stringify(figures)}`,
  )
}

async function main(): Promise<void> {
  const rows = Number(process.argv[2] ?? 10) * 1e6
  const directory = mkdtempSync(join(tmpdir(), 'partner-metrics-bench-'))
  chmodSync(directory, 0o755)
  const { ownerUrl, leave } = await openEmbedded({ dataDir: join(directory, 'data') })
  try {
    await migrate(ownerUrl)
    const pool = openPool(ownerUrl, { max: 1 })
    await prepare(pool)
    for (const order of ['sensor', 'time'] as const) {
      const file = join(directory, `${order}.csv`)
      await pipeline(Readable.from(rowsOf(rows, order)), createWriteStream(file))
      await pool.query('TRUNCATE sensor_days')
      await time(pool, `by ${order}`, createReadStream(file))
      await time(pool, `by ${order}, again`, createReadStream(file))
      rmSync(file)
    }
    await time(
      pool,
      'one late minute',
      Readable.from([`sensor,start,impressions\n${serial(7)},2025-01-02T12:00,999\n`]),
    )
    await pool.end()
  } finally {
    await leave()
    rmSync(directory, { recursive: true, force: true })
  }
}

void main()
