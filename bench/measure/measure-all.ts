/** Everything that is measured besides the comparison, and the report of both. */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Options } from '../options'
import { BENCH } from '../paths'
import { machine } from '../report/machine'
import { NETWORK_HEADER, networkRows } from '../report/network'
import {
  dailyImportsSection,
  importSection,
  installationSection,
  startupSection,
  storageSection,
} from '../report/operations'
import { report } from '../report/report'
import { markdown } from '../report/table'
import type { BenchCluster } from '../servers/bench-cluster'
import { cpuLayout } from '../servers/processes'
import type { Bench, Comparison } from './comparison'
import { measureDailyImports } from './daily-imports'
import { type FilledDatabase, measureGrowth } from './growth'
import type { Imported } from './import'
import { importWhileServing } from './import-while-serving'
import { measureInstallation } from './installation'
import { measureNetwork } from './network'
import { measureStartups } from './startup'
import { relationsOf } from './storage'

const REPORT = join(BENCH, 'REPORT.md')

/** The number of assets of which counts are imported daily. */
const DAILY_ASSETS = 100

/** Continues after the comparison and writes the report. */
export async function measureAll(
  cluster: BenchCluster,
  large: FilledDatabase,
  comparison: Comparison,
  { size, rounds, seconds, warmUp, importMillions }: Options,
  bench: Bench,
): Promise<void> {
  const { log } = bench
  const storage = storageSection(await relationsOf(large.database))
  const name = `${size.assets.toLocaleString('en')} × ${size.days} days`
  const growth = await measureGrowth(cluster, [name, large], bench)
  const network = await measureNetwork(cluster, bench)
  log('daily imports')
  const dailyImports = await measureDailyImports(large.database, large.data.assets.slice(0, DAILY_ASSETS))
  log('imports')
  const imported = importMillions > 0 ? measureImports(importMillions) : []
  const serving = await importWhileServing(bench)
  log('starts')
  const startups = await measureStartups()
  log('npm ci')
  const installation = measureInstallation()
  const text = report({
    command: ['npm run bench', ...process.argv.slice(2)].join(' '),
    minutes: performance.now() / 60_000,
    machine: machine(cluster.version, cpuLayout()),
    data: `${size.assets.toLocaleString('en')} assets, half of them in the key's scope, with ${size.days} days of data each, ${size.longAssets} of them with ${size.longDays}; generated from a seed and loaded in ${large.data.seconds.toFixed(0)} s`,
    timing: `${rounds} rounds of ${seconds} s; one round for further numbers of connections. Before it is measured a target serves all routes for ${warmUp.all} s and each route for ${warmUp.each} s`,
    comparison,
    growth,
    sections: {
      Networks: markdown(NETWORK_HEADER, networkRows(network)),
      Storage: storage,
      'Daily imports and vacuum': dailyImportsSection(dailyImports),
      Import: importSection(imported, serving),
      'Start and memory': startupSection(startups, comparison.memory),
      Installation: installationSection(installation),
    },
  })
  writeFileSync(REPORT, text)
  log(`wrote ${REPORT}`)
}

/** Runs in a process of its own, because its peak memory is measured. */
const measureImports = (millions: number): Imported[] =>
  execFileSync(process.execPath, [join(__dirname, 'import.js'), String(millions), '--json'], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
