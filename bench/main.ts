/** Entry point of `npm run bench`, which compares the service with its peers, see options.ts. */
import { fill } from './data/fill'
import { Load } from './load/load'
import { compare } from './measure/comparison'
import { measureNetwork } from './measure/network'
import type { Bench } from './measure/rounds'
import { type Options, readOptions, USAGE } from './options'
import { comparisonTables, networkTable } from './report/tables'
import { BenchCluster } from './servers/bench-cluster'
import { cpuLayout, findChildren, pin } from './servers/processes'
import { killTargets } from './servers/targets'

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
    await run(options, cluster, { load, postgres: cluster.pid, cpus: cpus.server, log })
  } finally {
    load.stop()
    await cluster.stop()
  }
}

async function run({ comparison, network }: Options, cluster: BenchCluster, bench: Bench): Promise<void> {
  if (comparison) {
    bench.log(`filling ${comparison.size.assets} assets`)
    const database = await cluster.create('bench')
    const data = await fill(database.ownerUrl, comparison.size)
    console.log(comparisonTables(await compare(database, data, comparison, bench)))
  }
  if (network) {
    bench.log(`filling networks of ${network.size.assets} assets`)
    const database = await cluster.create('network')
    const data = await fill(database.ownerUrl, network.size)
    console.log(networkTable(network.size.assets, await measureNetwork(database, data, network.repetitions, bench)))
  }
}

main().catch(error => {
  console.error(error)
  process.exitCode = 1
})
