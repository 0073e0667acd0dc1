/**
 * Measures the service against what could be taken instead, on this machine, in this run. `npm run bench` does all of it
 * and writes bench/REPORT.md; with --quick it prints ratios against the floor. options.ts tells the rest.
 */

import { fill } from './data/fill'
import { Load } from './load/load'
import { compare } from './measure/comparison'
import { measureAll } from './measure/measure-all'
import { profile } from './measure/profile'
import { readOptions, USAGE } from './options'
import { quickTable } from './report/ratios'
import { Server } from './servers/bench-cluster'
import { childrenOf, layout, pin } from './servers/processes'
import { endAll } from './servers/targets'

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2))
  if (!options) return console.log(USAGE)
  const began = performance.now()
  const say = (line: string) =>
    console.error(`${((performance.now() - began) / 1000).toFixed(0).padStart(5)} s  ${line}`)
  const cpus = layout()
  const server = await Server.start()
  const load = new Load(cpus.generator)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      say(`stopping on ${signal}`)
      endAll()
      server.stop().finally(() => process.exit(1))
    })
  }
  try {
    for (const pid of [server.pid, ...childrenOf(server.pid)]) pin(pid, cpus.postgres)
    const bench = { load, postgres: server.pid, cpus: cpus.server, say }
    say(`filling ${options.size.assets} assets`)
    const database = await server.create('bench')
    const data = await fill(database.ownerUrl, options.size)
    say(`filled in ${data.seconds.toFixed(1)} s`)
    if (options.profile) return await profile(database, data, options.only, options.seconds, bench)
    const comparison = await compare(database, data, options, bench)
    console.log(quickTable(comparison))
    if (options.whole) await measureAll(server, { database, data }, comparison, options, bench)
  } finally {
    load.stop()
    await server.stop()
  }
}

main().catch(error => {
  console.error(error)
  process.exitCode = 1
})
