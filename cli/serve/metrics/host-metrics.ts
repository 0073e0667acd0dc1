/** The metrics of the hosts from which the service reads, where there are several. The label `host` is host and port. */
import { Counter, Gauge, type Registry } from 'prom-client'
import { ROLES } from '../../../db/postgres/hosts/host-states'
import type { HostCounts, HostReport } from '../../../db/postgres/hosts/hosts'
import type { ReaderPool } from '../../../db/postgres/reader-pool'

const COUNTERS: Record<keyof HostCounts, { name: string; help: string }> = {
  batches: { name: 'db_host_batches_total', help: 'Batches of statements that were sent to a host.' },
  primaryOnly: {
    name: 'db_host_primary_only_batches_total',
    help: 'Batches that only the primary may run: of the feed of changes, and with keys that a replica does not know.',
  },
  stale: { name: 'db_host_stale_batches_total', help: 'Batches that a host refused because it lagged.' },
  conflicts: { name: 'db_host_conflicts_total', help: 'Batches that a replica cancelled to replay changes.' },
  retries: { name: 'db_host_retries_total', help: 'Batches that were repeated on another host.' },
}

export function registerHostMetrics(reader: Pick<ReaderPool, 'isBounded' | 'reports'>, registers: Registry[]): void {
  const gauge = (name: string, help: string, labelNames: string[], collect: (gauge: Gauge) => void) =>
    new Gauge({
      name,
      help,
      labelNames,
      registers,
      collect() {
        this.reset()
        collect(this)
      },
    })
  const each = (collect: (report: HostReport) => void) => reader.reports.forEach(collect)
  gauge('db_host_role', 'Whether a host has a role.', ['host', 'role'], metric =>
    each(({ name, role }) => {
      for (const each of ROLES) metric.set({ host: name, role: each }, Number(each === role))
    }),
  )
  gauge('db_host_bytes_behind', 'Bytes of the write-ahead log that a host has not replayed.', ['host'], metric =>
    each(({ name, bytesBehind }) => {
      if (bytesBehind !== undefined) metric.set({ host: name }, bytesBehind)
    }),
  )
  gauge('db_host_seconds_behind', 'Seconds for which a host could not serve reads.', ['host'], metric =>
    each(({ name, secondsBehind }) => metric.set({ host: name }, secondsBehind)),
  )
  gauge('db_primary_answers', 'Whether the primary answers, so that a revoked key is refused in time.', [], metric =>
    metric.set(Number(reader.isBounded)),
  )
  for (const [count, { name, help }] of Object.entries(COUNTERS)) {
    new Counter({
      name,
      help,
      labelNames: ['host'],
      registers,
      collect() {
        this.reset()
        each(report => this.inc({ host: report.name }, report[count as keyof HostCounts]))
      },
    })
  }
}
