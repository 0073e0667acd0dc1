/** Entry point of `npm run bench`, which compares the service with its peers and writes bench/REPORT.md, see options.ts. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fill } from './data/fill'
import { Load } from './load/load'
import { type Bench, compare } from './measure/comparison'
import { measureGrowth } from './measure/growth'
import { measureNetwork } from './measure/network'
import { type Options, readOptions, USAGE } from './options'
import { BENCH } from './paths'
import { quickTables } from './report/comparison'
import { machine } from './report/machine'
import { networkHeader, networkRows } from './report/network'
import { report } from './report/report'
import { aligned } from './report/table'
import { BenchCluster } from './servers/bench-cluster'
import { type CpuLayout, cpuLayout, findChildren, pin } from './servers/processes'
import { killTargets } from './servers/targets'

const REPORT = join(BENCH, 'REPORT.md')

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2))
  if (!options) return console.log(USAGE)
  const log = (line: string) => console.error(`${(performance.now() / 1000).toFixed(0).padStart(5)} s  ${line}`)
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
    await run(options, cluster, cpus, { load, postgres: cluster.pid, cpus: cpus.server, log })
  } finally {
    load.stop()
    await cluster.stop()
  }
}

async function run(options: Options, cluster: BenchCluster, cpus: CpuLayout, bench: Bench): Promise<void> {
  const { mode, size, comparison: timing, network: networkSize } = options
  if (mode === 'network') {
    const rows = await measureNetwork(cluster, networkSize, bench)
    return console.log(aligned(networkHeader(networkSize), networkRows(rows)))
  }
  bench.log(`filling ${size.assets} assets`)
  const database = await cluster.create('bench')
  const data = await fill(database.ownerUrl, size)
  const comparison = await compare(database, data, options, bench)
  console.log(quickTables(comparison))
  if (mode !== 'report' && mode !== 'check') return
  const name = `${size.assets.toLocaleString('en')} × ${size.days} days`
  const growth = await measureGrowth(cluster, [name, { database, data }], options.growth, bench)
  const text = report({
    command: ['npm run bench', ...process.argv.slice(2)].join(' '),
    machine: machine(cluster.version, cpus),
    data: `${size.assets.toLocaleString('en')} assets, half of them in the key's scope, with ${size.days} days of data each, ${size.longAssets} of them with ${size.longDays}; generated from a seed and loaded in ${data.seconds.toFixed(0)} s`,
    timing: `${timing.rounds} rounds of ${timing.seconds} s; one round for further numbers of connections. Before it is measured a target serves all routes for ${timing.warmUp.all} s and each route for ${timing.warmUp.each} s`,
    comparison,
    growth,
    network: { size: networkSize, rows: await measureNetwork(cluster, networkSize, bench) },
  })
  if (mode === 'check') return console.log(text)
  writeFileSync(REPORT, text)
  bench.log(`wrote ${REPORT}`)
}

main().catch(error => {
  console.error(error)
  process.exitCode = 1
})
