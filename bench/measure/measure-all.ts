/** Everything that is reported besides the comparison, and the report of both. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import type { Options } from '../options'
import { machine } from '../report/machine'
import { networkHeader, networkRows } from '../report/network'
import { importSection, startupSection, storageSection } from '../report/operations'
import { report } from '../report/report'
import { markdown } from '../report/table'
import type { BenchCluster } from '../servers/bench-cluster'
import { cpuLayout } from '../servers/processes'
import type { Bench, Comparison } from './comparison'
import { type FilledDatabase, measureGrowth } from './growth'
import type { Imported } from './import'
import { importWhileServing } from './import-while-serving'
import { measureNetwork } from './network'
import { measureStartups } from './startup'
import { readRelations } from './storage'

/** Continues after the comparison. @returns the report */
export async function measureAll(
  cluster: BenchCluster,
  large: FilledDatabase,
  comparison: Comparison,
  options: Options,
  bench: Bench,
): Promise<string> {
  const { log } = bench
  const { size, comparison: timing, growth: growthSize, network: networkSize } = options
  const storage = storageSection(await readRelations(large.database))
  const name = `${size.assets.toLocaleString('en')} × ${size.days} days`
  const growth = await measureGrowth(cluster, [name, large], growthSize, bench)
  const network = await measureNetwork(cluster, networkSize, bench)
  log('imports')
  const imported = measureImports(options.importMillions)
  const serving = await importWhileServing(options.serving, bench)
  log('starts')
  const startups = await measureStartups(options.demo)
  return report({
    command: ['npm run bench', ...process.argv.slice(2)].join(' '),
    minutes: performance.now() / 60_000,
    machine: machine(cluster.version, cpuLayout()),
    data: `${size.assets.toLocaleString('en')} assets, half of them in the key's scope, with ${size.days} days of data each, ${size.longAssets} of them with ${size.longDays}; generated from a seed and loaded in ${large.data.seconds.toFixed(0)} s`,
    timing: `${timing.rounds} rounds of ${timing.seconds} s; one round for further numbers of connections. Before it is measured a target serves all routes for ${timing.warmUp.all} s and each route for ${timing.warmUp.each} s`,
    comparison,
    growth,
    sections: {
      Networks: markdown(networkHeader(networkSize), networkRows(network)),
      Storage: storage,
      Import: importSection(imported, serving),
      'Start and memory': startupSection(startups, comparison.memory),
    },
  })
}

/** Runs in a process of its own, because its peak memory is measured. */
const measureImports = (millions: number): Imported[] =>
  execFileSync(process.execPath, [join(__dirname, 'import.js'), String(millions), '--json'], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
