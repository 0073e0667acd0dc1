/**
 * Entry point of `npm run bench`, which compares the service with its peers, measures imports, starts and storage, and
 * writes bench/REPORT.md. options.ts describes the other modes.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fill } from './data/fill'
import { Load } from './load/load'
import { overload } from './load/overload'
import { type Bench, compare } from './measure/comparison'
import { measureAll } from './measure/measure-all'
import { measureNetwork } from './measure/network'
import { profile } from './measure/profile'
import { measureWorkers } from './measure/workers'
import { readOptions, USAGE } from './options'
import { BENCH } from './paths'
import { quickTables } from './report/comparison'
import { networkHeader, networkRows } from './report/network'
import { aligned } from './report/table'
import { BenchCluster } from './servers/bench-cluster'
import { cpuLayout, findChildren, pin } from './servers/processes'
import { killTargets } from './servers/targets'

const REPORT = join(BENCH, 'REPORT.md')

/** The route of which a check prints profile and workers. */
const CHECKED_ROUTE = 'meta'

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2))
  if (!options) return console.log(USAGE)
  const started = performance.now()
  const log = (line: string) =>
    console.error(`${((performance.now() - started) / 1000).toFixed(0).padStart(5)} s  ${line}`)
  const cpus = cpuLayout()
  const cluster = await BenchCluster.start()
  const load = new Load(cpus.generator)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      log(`stopping on ${signal}`)
      killTargets()
      cluster.stop().finally(() => process.exit(1))
    })
  }
  try {
    for (const pid of [cluster.pid, ...findChildren(cluster.pid)]) pin(pid, cpus.postgres)
    const bench: Bench = { load, postgres: cluster.pid, cpus: cpus.server, log }
    const { mode } = options
    if (mode === 'network') {
      const rows = await measureNetwork(cluster, options.network, bench)
      return console.log(aligned(networkHeader(options.network), networkRows(rows)))
    }
    log(`filling ${options.size.assets} assets`)
    const database = await cluster.create('bench')
    const data = await fill(database.ownerUrl, options.size)
    log(`filled in ${data.seconds.toFixed(1)} s`)
    if (mode === 'load') return await overload(database, data, options.overload, bench)
    if (mode === 'workers') return await measureWorkers(database, data, options, bench)
    if (mode === 'profile') return await profile(database, data, options.only, options.profileSeconds, bench)
    const comparison = await compare(database, data, options, bench)
    console.log(quickTables(comparison))
    if (mode !== 'report' && mode !== 'check') return
    const text = await measureAll(cluster, { database, data }, comparison, options, bench)
    if (mode === 'report') {
      writeFileSync(REPORT, text)
      return log(`wrote ${REPORT}`)
    }
    console.log(text)
    await overload(database, data, options.overload, bench)
    await measureWorkers(database, data, { ...options, only: CHECKED_ROUTE }, bench)
    await profile(database, data, CHECKED_ROUTE, options.profileSeconds, bench)
  } finally {
    load.stop()
    await cluster.stop()
  }
}

main().catch(error => {
  console.error(error)
  process.exitCode = 1
})
