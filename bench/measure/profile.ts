/** Prints where the service spends its CPU time on each route, by function and by package. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type { Profiler } from 'node:inspector'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BenchData } from '../data/fill'
import { listRoutes } from '../data/routes'
import { short } from '../report/table'
import type { Database } from '../servers/bench-cluster'
import { startTarget } from '../servers/targets'
import { type Bench, targetSettings } from './comparison'
import { startedFile } from './started-file'

const CONNECTIONS = 32

const MAX_WARM_UP_SECONDS = 2

/** The length of each list. */
const LINES = 25

/** Profiles each route whose name contains `only`. */
export async function profile(
  database: Database,
  data: BenchData,
  only: string,
  seconds: number,
  bench: Bench,
): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'partner-metrics-profile-'))
  const file = join(directory, 'service.cpuprofile')
  const service = await startTarget('service', { ...(await targetSettings(database, bench)), profile: file })
  try {
    for (const { name, requests, conditional } of listRoutes(data)) {
      if (conditional || !name.includes(only)) continue
      const job = { port: service.port, connections: CONNECTIONS, warmUp: 0, requests }
      await bench.load.run({ ...job, seconds: Math.min(seconds, MAX_WARM_UP_SECONDS) }, () => {})
      // Two signals of a kind that arrive together are delivered as one.
      process.kill(service.pid, 'SIGUSR2')
      await exists(startedFile(file))
      const figures = await bench.load.run({ ...job, seconds }, () => {})
      process.kill(service.pid, 'SIGUSR2')
      await exists(file)
      const rate = short(figures.requests / figures.seconds)
      console.log(`\n${name}: ${rate} per second\n${summarise(JSON.parse(readFileSync(file, 'utf8')))}`)
      for (const each of [file, startedFile(file)]) rmSync(each)
    }
  } finally {
    await service.stop()
    rmSync(directory, { recursive: true, force: true })
  }
}

async function exists(file: string): Promise<void> {
  while (!existsSync(file)) await sleep(20)
}

/** The shares of the time in which node was not idle. */
function summarise({ nodes, samples = [] }: Profiler.Profile): string {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]))
  const [functions, packages] = [new Map<string, number>(), new Map<string, number>()]
  let busy = 0
  for (const id of samples) {
    const { functionName, url, lineNumber } = frames.get(id) as Profiler.ProfileNode['callFrame']
    if (functionName === '(idle)') continue
    busy++
    const file = url.replace(/^.*\/(dist|node_modules)\//, '')
    increment(functions, `${functionName || '(anonymous)'}  ${file}:${lineNumber + 1}`)
    const [, packageName] = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? []
    increment(packages, packageName ?? (url.startsWith('file:') || url.startsWith('/') ? file : url || functionName))
  }
  const linesOf = (samplesByName: Map<string, number>) =>
    [...samplesByName]
      .sort(([, a], [, b]) => b - a)
      .slice(0, LINES)
      .map(([name, count]) => `  ${((count / busy) * 100).toFixed(1).padStart(5)} %  ${name}`)
  return ['by function (self)', ...linesOf(functions), 'by package or file', ...linesOf(packages)].join('\n')
}

const increment = (counts: Map<string, number>, name: string): void => {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}
