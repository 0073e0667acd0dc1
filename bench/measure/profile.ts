/** Where the service's time goes: a CPU profile of each route under load, told by function and by package. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type { Profiler } from 'node:inspector'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Filled } from '../data/fill'
import { routesOf } from '../data/routes'
import { short } from '../report/table'
import type { Database } from '../servers/bench-cluster'
import { start } from '../servers/targets'
import { type Bench, surroundings } from './comparison'

const WARM_UP = 2

/** So many lines of each list. */
const TOLD = 25

/** Profiles ours on every route whose name contains `only`, each for so many seconds, and tells it. */
export async function profile(database: Database, data: Filled, only: string, seconds: number, bench: Bench) {
  const directory = mkdtempSync(join(tmpdir(), 'partner-metrics-profile-'))
  const file = join(directory, 'ours.cpuprofile')
  const at = { ...(await surroundings(database, bench)), profile: file }
  const ours = await start('ours', at)
  try {
    for (const { name, requests, conditional } of routesOf(data)) {
      if (conditional || !name.includes(only)) continue
      const job = { port: ours.port, connections: 32, seconds, warmUp: WARM_UP, requests }
      const { rate } = await bench.load
        .run(job, () => process.kill(ours.pid, 'SIGUSR2'))
        .then(figures => ({ rate: figures.requests / figures.seconds }))
      process.kill(ours.pid, 'SIGUSR2')
      while (!existsSync(file)) await sleep(100)
      console.log(`\n${name}: ${short(rate)} a second\n${summary(JSON.parse(readFileSync(file, 'utf8')))}`)
      rmSync(file)
    }
  } finally {
    await ours.stop()
    rmSync(directory, { recursive: true, force: true })
  }
}

/** Parts of the time that node was not idle, by function and by package. */
function summary({ nodes, samples = [] }: Profiler.Profile): string {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]))
  const [functions, packages] = [new Map<string, number>(), new Map<string, number>()]
  let busy = 0
  for (const id of samples) {
    const { functionName, url, lineNumber } = frames.get(id) as Profiler.ProfileNode['callFrame']
    if (functionName === '(idle)') continue
    busy++
    const place = url.replace(/^.*\/(dist|node_modules)\//, '')
    add(functions, `${functionName || '(anonymous)'}  ${place}:${lineNumber + 1}`)
    const [, from] = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? []
    add(packages, from ?? (url.startsWith('file:') || url.startsWith('/') ? place : url || functionName))
  }
  const told = (parts: Map<string, number>) =>
    [...parts]
      .sort(([, a], [, b]) => b - a)
      .slice(0, TOLD)
      .map(([name, count]) => `  ${((count / busy) * 100).toFixed(1).padStart(5)} %  ${name}`)
  return ['by function (self)', ...told(functions), 'by package or file', ...told(packages)].join('\n')
}

const add = (parts: Map<string, number>, name: string): void => {
  parts.set(name, (parts.get(name) ?? 0) + 1)
}
