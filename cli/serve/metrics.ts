/** What Prometheus reads: every metric of the service, by name. Labels are bounded: operations, statuses and codes. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { ReaderPool } from '../../db/postgres/scoped-reader'
import type { FairScheduler } from '../../rest-gateway/admission/fair-scheduler'
import type { Answered, Metrics } from '../../rest-gateway/gateway'

/** Seconds: from what the fastest route takes to the longest patience. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export class ServiceMetrics implements Metrics {
  readonly registry = new Registry()
  private readonly registers = [this.registry]

  private readonly requests = new Counter({
    name: 'http_requests_total',
    help: 'Requests answered, by operation, status and error code.',
    labelNames: ['operation', 'status', 'code'],
    registers: this.registers,
  })
  private readonly durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'From the head of a request to its answer, by operation.',
    labelNames: ['operation'],
    buckets: BUCKETS,
    registers: this.registers,
  })
  private readonly inFlight = new Gauge({
    name: 'http_requests_in_flight',
    help: 'Requests that are not answered yet.',
    registers: this.registers,
  })
  private readonly shed = new Counter({
    name: 'http_requests_shed_total',
    help: 'Requests turned away because the service had too much to do.',
    registers: this.registers,
  })
  private readonly rateLimited = new Counter({
    name: 'http_requests_rate_limited_total',
    help: 'Requests refused because their key had asked too often.',
    registers: this.registers,
  })

  /**
   * @param reader whose pool is watched
   * @param turns in which requests wait for it
   */
  constructor(reader: Pick<ReaderPool, 'connections'>, turns: Pick<FairScheduler, 'waiting'>) {
    collectDefaultMetrics({ register: this.registry })
    new Gauge({
      name: 'db_pool_connections',
      help: 'Connections to the database for reading, by state.',
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
      help: 'Requests that wait for a connection to the database.',
      registers: this.registers,
      collect() {
        this.set(reader.connections.waiting + turns.waiting)
      },
    })
  }

  began(): void {
    this.inFlight.inc()
  }

  answered({ operation = 'none', status, code = '', ms, shed }: Answered): void {
    this.inFlight.dec()
    this.requests.inc({ operation, status, code })
    this.durations.observe({ operation }, ms / 1000)
    if (shed) this.shed.inc()
    if (code === 'RATE_LIMITED') this.rateLimited.inc()
  }
}
