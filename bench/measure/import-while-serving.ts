/** What an import does to those who ask meanwhile: the import of the command line beside the service, on one database. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { dateOf, dayNumber } from '../../db/calendar/local-days'
import { type Filled, fill } from '../data/fill'
import { LAST_DAY } from '../data/population'
import { routesOf } from '../data/routes'
import { SERVICE } from '../paths'
import { Server } from '../servers/bench-cluster'
import { childrenOf, layout, pin, pinned } from '../servers/processes'
import { start } from '../servers/targets'
import { type Bench, surroundings } from './comparison'
import { median } from './rounds'

export interface ImportWhileServing {
  rows: number
  seconds: number
  /** By route; milliseconds, and answers a second. */
  before: Serving
  during: Serving
}

export interface Serving {
  p50: number
  p99: number
  rate: number
}

const SIZE = { assets: 200, days: 90 }

/** Days of minutes of each sensor that the file brings. */
const DAYS = 25

const ROUTE = 'daily 30'

/** Not as much as there can be: what is asked is whether those who ask have to wait. */
const CONNECTIONS = 4

const WINDOW = 2

export async function importWhileServing({ load, say }: Bench): Promise<ImportWhileServing> {
  const server = await Server.start(true)
  const directory = mkdtempSync(join(tmpdir(), 'partner-metrics-import-'))
  const cpus = layout()
  try {
    for (const pid of [server.pid, ...childrenOf(server.pid)]) pin(pid, cpus.postgres)
    const database = await server.create('serving')
    const data = await fill(database.ownerUrl, SIZE)
    const file = join(directory, 'minutes.csv')
    const rows = await writeCounts(data, file)
    const ours = await start(
      'ours',
      await surroundings(database, { load, say, postgres: server.pid, cpus: cpus.server }),
    )
    try {
      const requests = routesOf(data).find(({ name }) => name === ROUTE)?.requests ?? []
      const serve = () =>
        load.run({ port: ours.port, connections: CONNECTIONS, seconds: WINDOW, warmUp: 0, requests }, () => {})
      await serve()
      say('serving, before an import')
      const before = [await serve(), await serve(), await serve()]
      say('serving, during an import')
      const [program, ...args] = pinned(cpus.postgres, [process.execPath, SERVICE])
      const began = performance.now()
      const importing = spawn(program as string, [...args, 'import', 'impressions', file], {
        stdio: ['ignore', 'ignore', 'inherit'],
        env: { PATH: process.env.PATH, DATABASE_URL: database.ownerUrl },
      })
      let running = true
      const ended = once(importing, 'exit').then(([code]) => {
        running = false
        return { code, seconds: (performance.now() - began) / 1000 }
      })
      const during = []
      while (running) during.push(await serve())
      const { code, seconds } = await ended
      if (code !== 0) throw new Error(`the import ended with ${code}`)
      // The last window is only in part one of the import.
      return {
        rows,
        seconds,
        before: middleOf(before),
        during: middleOf(during.slice(0, Math.max(1, during.length - 1))),
      }
    } finally {
      await ours.stop()
    }
  } finally {
    await server.stop()
    rmSync(directory, { recursive: true, force: true })
  }
}

const middleOf = (windows: { p50: number; p99: number; requests: number; seconds: number }[]): Serving => ({
  p50: median(windows.map(({ p50 }) => p50)),
  p99: median(windows.map(({ p99 }) => p99)),
  rate: median(windows.map(({ requests, seconds }) => requests / seconds)),
})

/** Days behind the last that there is, of every sensor that counts minutes; how many rows. */
async function writeCounts({ assets }: Filled, file: string): Promise<number> {
  const serials = assets.flatMap(({ sensors }) =>
    sensors.flatMap(({ minutes, serial }) => (minutes === 1 ? [serial] : [])),
  )
  let rows = 0
  function* lines(): Generator<string> {
    yield 'sensor,start,impressions\n'
    for (const serial of serials) {
      for (let day = 1; day <= DAYS; day++) {
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
