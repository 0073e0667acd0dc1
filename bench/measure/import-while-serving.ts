/** Measures response times while the command line imports counts into the same database. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { dateOf, dayNumber } from '../../db/calendar/local-days'
import { type BenchData, fill } from '../data/fill'
import { LAST_DAY } from '../data/population'
import { listRoutes } from '../data/routes'
import { SERVICE } from '../paths'
import { BenchCluster } from '../servers/bench-cluster'
import { cpuLayout, findChildren, pin, pinned } from '../servers/processes'
import { startTarget } from '../servers/targets'
import { type Bench, targetSettings } from './comparison'
import { median } from './rounds'

export interface ImportWhileServing {
  rows: number
  seconds: number
  before: Serving
  during: Serving
}

export interface Serving {
  /** Milliseconds. */
  p50: number
  p99: number
  /** Responses per second. */
  rate: number
}

export interface ServingSize {
  assets: number
  /** The number of days in the imported file. */
  days: number
  windowSeconds: number
}

/** The number of days before the import. */
const STORED_DAYS = 90

const ROUTE = 'daily 30'

/** A moderate load: the question is whether requests have to wait for the import. */
const CONNECTIONS = 4

export async function importWhileServing(
  { assets, days, windowSeconds }: ServingSize,
  { load, log }: Bench,
): Promise<ImportWhileServing> {
  const cluster = await BenchCluster.start(true)
  const directory = mkdtempSync(join(tmpdir(), 'partner-metrics-import-'))
  const cpus = cpuLayout()
  try {
    for (const pid of [cluster.pid, ...findChildren(cluster.pid)]) pin(pid, cpus.postgres)
    const database = await cluster.create('serving')
    const data = await fill(database.ownerUrl, { assets, days: STORED_DAYS })
    const file = join(directory, 'minutes.csv')
    const rows = await writeCounts(data, days, file)
    const service = await startTarget('service', await targetSettings(database, { cpus: cpus.server }))
    try {
      const requests = listRoutes(data).find(({ name }) => name === ROUTE)?.requests ?? []
      const serve = () =>
        load.run(
          { port: service.port, connections: CONNECTIONS, seconds: windowSeconds, warmUp: 0, requests },
          () => {},
        )
      await serve()
      log('serving before an import')
      const before = [await serve(), await serve(), await serve()]
      log('serving during an import')
      const [program, ...args] = pinned(cpus.postgres, [process.execPath, SERVICE])
      const started = performance.now()
      const importing = spawn(program as string, [...args, 'import', 'impressions', file], {
        stdio: ['ignore', 'ignore', 'inherit'],
        env: { PATH: process.env.PATH, DATABASE_URL: database.ownerUrl },
      })
      let running = true
      const exited = once(importing, 'exit').then(([code]) => {
        running = false
        return { code, seconds: (performance.now() - started) / 1000 }
      })
      const during = []
      while (running) during.push(await serve())
      const { code, seconds } = await exited
      if (code !== 0) throw new Error(`the import exited with ${code}`)
      // The import ends within the last window.
      return {
        rows,
        seconds,
        before: medianOf(before),
        during: medianOf(during.slice(0, Math.max(1, during.length - 1))),
      }
    } finally {
      await service.stop()
    }
  } finally {
    await cluster.stop()
    rmSync(directory, { recursive: true, force: true })
  }
}

const medianOf = (windows: { p50: number; p99: number; requests: number; seconds: number }[]): Serving => ({
  p50: median(windows.map(({ p50 }) => p50)),
  p99: median(windows.map(({ p99 }) => p99)),
  rate: median(windows.map(({ requests, seconds }) => requests / seconds)),
})

/** Writes the days after LAST_DAY of every sensor that counts minutes. Returns the number of rows. */
async function writeCounts({ assets }: BenchData, days: number, file: string): Promise<number> {
  const serials = assets.flatMap(({ sensors }) =>
    sensors.flatMap(({ minutes, serial }) => (minutes === 1 ? [serial] : [])),
  )
  let rows = 0
  function* lines(): Generator<string> {
    yield 'sensor,start,impressions\n'
    for (const serial of serials) {
      for (let day = 1; day <= days; day++) {
        const date = dateOf(dayNumber(LAST_DAY) + day)
        let text = ''
        for (let minute = 0; minute < 1440; minute++) {
          const time = new Date(minute * 60_000).toISOString().slice(11, 16)
          text += `${serial},${date}T${time},${(minute * 7 + day) % 50}\n`
        }
        rows += 1440
        yield text
      }
    }
  }
  await pipeline(Readable.from(lines()), createWriteStream(file))
  return rows
}
