/** The Prometheus metrics of one process. The values of labels are bounded: operations, statuses and error codes. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { ROLES } from '../../../db/postgres/hosts/host-states'
import type { ReaderPool } from '../../../db/postgres/reader-pool'
import type { CompletedRequest, Metrics } from '../../../rest-gateway/edge/request-log'

/** Seconds, from the fastest route to the longest timeout. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export class GatewayMetrics implements Metrics {
  readonly registry = new Registry()
  private readonly registers = [this.registry]

  private readonly requests = new Counter({
    name: 'http_requests_total',
    help: 'Completed requests, by operation, status and error code.',
    labelNames: ['operation', 'status', 'code'],
    registers: this.registers,
  })
  private readonly durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the head of a request until its response is ready, by operation.',
    labelNames: ['operation'],
    buckets: BUCKETS,
    registers: this.registers,
  })
  private readonly stages = new Counter({
    name: 'http_request_stage_seconds_total',
    help: 'Time spent on requests, by operation and stage: read, execute, shape, send.',
    labelNames: ['operation', 'stage'],
    registers: this.registers,
  })
  private readonly inFlight = new Gauge({
    name: 'http_requests_in_flight',
    help: 'Requests whose response is not ready yet.',
    registers: this.registers,
  })
  private readonly shed = new Counter({
    name: 'http_requests_shed_total',
    help: 'Requests answered 503 because the service was overloaded.',
    registers: this.registers,
  })

  constructor(reader: Pick<ReaderPool, 'connections' | 'isBounded' | 'reports'>, version: string) {
    collectDefaultMetrics({ register: this.registry })
    new Gauge({
      name: 'service_version_info',
      help: 'The version of the service, as a label.',
      labelNames: ['version'],
      registers: this.registers,
    }).set({ version }, 1)
    new Gauge({
      name: 'db_pool_connections',
      help: 'Database connections for reading, by state.',
      labelNames: ['state'],
      registers: this.registers,
      collect() {
        const { total, idle } = reader.connections
        this.set({ state: 'busy' }, total - idle)
        this.set({ state: 'idle' }, idle)
      },
    })
    new Gauge({
      name: 'db_pool_waiting_requests',
      help: 'Requests that wait for a database connection.',
      registers: this.registers,
      collect() {
        this.set(reader.connections.waiting)
      },
    })
    this.addHosts(reader)
  }

  requestStarted(): void {
    this.inFlight.inc()
  }

  requestCompleted({ operation = 'none', status, code = '', ms, stages, shed }: CompletedRequest): void {
    this.inFlight.dec()
    this.requests.inc({ operation, status, code })
    this.durations.observe({ operation }, ms / 1000)
    for (const [stage, duration] of Object.entries(stages)) this.stages.inc({ operation, stage }, duration / 1000)
    if (shed) this.shed.inc()
  }

  /** Adds the metrics of the hosts, where there are several. The label `host` is host and port. */
  private addHosts(reader: Pick<ReaderPool, 'isBounded' | 'reports'>): void {
    const { registers } = this
    new Gauge({
      name: 'db_host_role',
      help: 'Whether a host has a role.',
      labelNames: ['host', 'role'],
      registers,
      collect() {
        for (const { name, role } of reader.reports) {
          for (const each of ROLES) this.set({ host: name, role: each }, Number(each === role))
        }
      },
    })
    new Counter({
      name: 'db_host_batches_total',
      help: 'Batches of statements that were sent to a host.',
      labelNames: ['host'],
      registers,
      collect() {
        this.reset()
        for (const { name, batches } of reader.reports) this.inc({ host: name }, batches)
      },
    })
    new Gauge({
      name: 'db_primary_answers',
      help: 'Whether the primary answers, so that a revoked key is refused in time.',
      registers,
      collect() {
        this.set(Number(reader.isBounded))
      },
    })
  }
}
