/** The text of bench/REPORT.md, from the results of one run. */
import type { Comparison } from '../measure/comparison'
import type { Growth } from '../measure/growth'
import type { NetworkRow, NetworkSize } from '../measure/network'
import { DESCRIPTIONS } from '../servers/targets'
import { cpuTable, latencyTable, rateTable } from './comparison'
import { growthTable } from './growth'
import { networkHeader, networkRows } from './network'
import { markdown } from './table'

interface Results {
  command: string
  machine: string[]
  data: string
  timing: string
  comparison: Comparison
  growth: Growth
  network: { size: NetworkSize; rows: NetworkRow[] }
}

export function report({ command, machine, data, timing, comparison, growth, network }: Results): string {
  const [connections] = [...comparison.results.keys()] as [number]
  const targets = [...comparison.checked.keys()].map(name => `- **${name}**: ${DESCRIPTIONS[name]}`)
  return `# Benchmark report

Written by \`${command}\` on ${new Date().toISOString().slice(0, 10)}, in ${(performance.now() / 60_000).toFixed(0)} minutes. bench/README.md describes the method. Everything ran on one machine, in one run.

${machine.map(line => `- ${line}`).join('\n')}
- ${data}
- ${timing}

${targets.join('\n')}

Before the measurements all targets sent the same bodies for the same requests; for a 304 the status was compared. Requests
do not accept compression.

## Responses per second

On ${connections} connections: the median of the rounds, and half the distance between the fastest and the slowest. Ratios are
medians of the ratios of each round.

${rateTable(comparison, connections)}

## CPU time

Milliseconds per request in node + in PostgreSQL, on ${connections} connections, and ratios of their sums. The aim is that no route
takes more than hand-written Fastify.

${cpuTable(comparison, connections)}

## Latency

p50 / p99 in milliseconds, by the number of connections.

${latencyTable(comparison)}

## Growth

The service alone, on databases of several sizes, in alternating rounds: p50 in milliseconds on one connection.

${growthTable(growth)}

## Networks

${markdown(networkHeader(network.size), networkRows(network.rows))}
`
}
