/** bench/REPORT.md: all that was measured in one run. */
import type { Comparison } from '../measure/comparison'
import type { Growth } from '../measure/growth'
import { DESCRIPTIONS } from '../servers/targets'
import { growthTable } from './growth'
import { cpuTable, latencyTable, rateTable } from './ratios'

export interface Findings {
  command: string
  minutes: number
  machine: string[]
  data: string
  timing: string
  comparison: Comparison
  growth: Growth
  /** Sections that stand as they are, by their titles. */
  others: Record<string, string>
}

export function document(found: Findings): string {
  const { command, minutes, machine, data, timing, comparison, growth, others } = found
  const [first] = [...comparison.results.keys()] as [number]
  const targets = [...comparison.findings.keys()].map(name => `- **${name}**: ${DESCRIPTIONS[name]}`)
  return `# Measured side by side

Made by \`${command}\` on ${new Date().toISOString().slice(0, 10)}, in ${minutes.toFixed(0)} minutes; bench/README.md tells how. All on one machine, in one run.

${machine.map(line => `- ${line}`).join('\n')}
- ${data}
- ${timing}

${targets.join('\n')}

All answered the same requests with the same bytes before they were timed; for a 304 the status was compared. Requests ask for
no compression.

## Answers a second

At ${first} connections: the median of the rounds, and half the distance between the fastest and the slowest. Ratios are worked
out round by round, and their median is told. Aimed at: 1.0 × Fastify everywhere; 0.75 × the floor for small bodies, 0.6 × for
pages and series; 5 × Apollo for GraphQL.

${rateTable(comparison, first)}

## What an answer costs

Milliseconds of CPU a request, in node + in PostgreSQL, at ${first} connections; statements in flights a request, BEGIN and COMMIT
counted as statements.

${cpuTable(comparison, first)}

## Latency

p50 / p99 in milliseconds, by the number of connections.

${latencyTable(comparison)}

## Growth

Ours alone, on databases of several sizes, in turns: p50 in milliseconds at one connection.

${growthTable(growth)}
${Object.entries(others)
  .map(([title, text]) => `\n## ${title}\n\n${text}\n`)
  .join('')}`
}
