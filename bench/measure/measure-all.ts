/** All that is measured besides the comparison, and the report of both. */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Options } from '../options'
import { BENCH } from '../paths'
import { document } from '../report/document'
import { machine } from '../report/machine'
import { dailySection, importSection, installationSection, startSection, storageSection } from '../report/operations'
import type { Server } from '../servers/bench-cluster'
import { layout } from '../servers/processes'
import type { Bench, Comparison } from './comparison'
import { grow, type Place } from './growth'
import type { Imported } from './import'
import { importWhileServing } from './import-while-serving'
import { measureInstallation, measureStarts } from './startup'
import { importDaily, relationsOf } from './storage'

const REPORT = join(BENCH, 'REPORT.md')

/** Of so many assets the counts come in daily. */
const DAILY = 100

/** Goes on where the comparison ended, and writes the report. */
export async function measureAll(
  server: Server,
  large: Place,
  comparison: Comparison,
  { size, rounds, seconds, warmUp, importMillions }: Options,
  bench: Bench,
): Promise<void> {
  const { say } = bench
  const storage = storageSection(await relationsOf(large.database))
  const growth = await grow(server, [`${size.assets.toLocaleString('en')} × ${size.days} days`, large], bench)
  say('daily imports')
  const daily = await importDaily(large.database, large.data.assets.slice(0, DAILY))
  say('imports')
  const imported = importMillions > 0 ? measureImports(importMillions) : []
  const serving = await importWhileServing(bench)
  say('starts')
  const starts = await measureStarts()
  say('npm ci')
  const installation = measureInstallation()
  const text = document({
    command: ['npm run bench', ...process.argv.slice(2)].join(' '),
    minutes: performance.now() / 60_000,
    machine: machine(server.version, layout()),
    data: `${size.assets.toLocaleString('en')} assets, half of them in the key's scope, over ${size.days} days up to a fixed one, ${size.long} of them over ${size.longDays}; made from a seed and loaded in ${large.data.seconds.toFixed(0)} s`,
    timing: `${rounds} rounds of ${seconds} s; at other numbers of connections than the first one round. Before it is timed a target is asked for all routes for ${warmUp.all} s, and for each for ${warmUp.each} s`,
    comparison,
    growth,
    others: {
      Storage: storage,
      'Daily imports and vacuum': dailySection(daily),
      Import: importSection(imported, serving),
      'Start and memory': startSection(starts, comparison.memory),
      Installation: installationSection(installation),
    },
  })
  writeFileSync(REPORT, text)
  say(`wrote ${REPORT}`)
}

/** In a process of its own, for its memory is measured. */
const measureImports = (millions: number): Imported[] =>
  execFileSync(process.execPath, [join(__dirname, 'import.js'), String(millions), '--json'], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
