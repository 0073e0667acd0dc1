/**
 * Measures the speed and the memory of an import: N million rows of a hundred sensors, once ordered by sensor and once by
 * time, each file twice and once with a time format, then one late minute. It is a program of its own because its peak memory is measured:
 * `node dist/bench/measure/import.js [N] [--json]` after `npm run bench -- --help` has compiled it.
 */
import { createReadStream, createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Pool } from 'pg'
import { type ImportOptions, importFile } from '../../db/import/import-file'
import type { Kind } from '../../db/import/kind-names'
import { openPool } from '../../db/postgres/pool'
import { BenchCluster } from '../servers/bench-cluster'

export interface Imported {
  name: string
  rows: number
  seconds: number
  /** The peak memory of the process so far. */
  megabytes: number
}

const SENSORS = 100

const serial = (sensor: number): string => `S-${String(sensor).padStart(4, '0')}`

const startOf = (minute: number): string => new Date(Date.UTC(2025, 0, 1, 0, minute)).toISOString().slice(0, 16)

/** Fewer by night than by day, and different from minute to minute. */
const count = (sensor: number, minute: number): number => {
  const hour = Math.floor(minute / 60) % 24
  return (hour < 6 ? 2 : hour < 20 ? 20 : 8) + ((sensor * 7919 + minute * 104_729) % 13)
}

function* generateRows(rows: number, order: 'sensor' | 'time'): Generator<string> {
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
  await importFile(pool, kind, Readable.from([lines.join('\n')]))
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

/** The generated local times have the hour that the clock repeats once, and the one that it skips. */
const CLOCK_CHANGES = { repeatedHour: 'first', skippedHour: 'drop' } as const

async function measureImport(
  pool: Pool,
  name: string,
  stream: Readable,
  options: Pick<ImportOptions, 'timeFormat'> = {},
): Promise<Imported> {
  const started = performance.now()
  const { read } = await importFile(pool, 'impressions', stream, { ...CLOCK_CHANGES, ...options })
  const seconds = (performance.now() - started) / 1000
  return { name, rows: read, seconds, megabytes: process.resourceUsage().maxRSS / 1024 }
}

async function measureImports(rows: number, print: (imported: Imported) => void): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'partner-metrics-import-'))
  const cluster = await BenchCluster.start(true)
  try {
    const { ownerUrl } = await cluster.create('import')
    const pool = openPool(ownerUrl, { max: 1 })
    await prepare(pool)
    for (const order of ['sensor', 'time'] as const) {
      const file = join(directory, `${order}.csv`)
      await pipeline(Readable.from(generateRows(rows, order)), createWriteStream(file))
      await pool.query('TRUNCATE sensor_days')
      print(await measureImport(pool, `by ${order}`, createReadStream(file)))
      print(await measureImport(pool, `by ${order}, again`, createReadStream(file)))
      const timeFormat = ["yyyy-MM-dd'T'HH:mm"]
      print(await measureImport(pool, `by ${order}, with a time format`, createReadStream(file), { timeFormat }))
      rmSync(file)
    }
    const late = `sensor,start,impressions\n${serial(7)},2025-01-02T12:00,999\n`
    print(await measureImport(pool, 'one late minute', Readable.from([late])))
    await pool.end()
  } finally {
    await cluster.stop()
    rmSync(directory, { recursive: true, force: true })
  }
}

async function main(): Promise<void> {
  const json = process.argv.includes('--json')
  const millions = Number(process.argv[2] ?? 10)
  await measureImports(millions * 1e6, imported => {
    const { name, rows, seconds, megabytes } = imported
    const rate = Math.round(rows / seconds).toLocaleString('en')
    if (json) console.log(JSON.stringify(imported))
    else console.log(`${name}: ${seconds.toFixed(2)} s, ${rate} rows/s, ${Math.round(megabytes)} MB at most`)
  })
}

if (require.main === module) void main()
