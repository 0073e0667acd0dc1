/** The primary process of several workers. It accepts all connections, and passes them to the workers in turn. */
import cluster from 'node:cluster'
import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { RateLimiterClusterMaster } from 'rate-limiter-flexible'
import type { Settings } from '../../settings'
import type { Service, SharedConfig } from '../gateway-process'
import type { Listener } from '../listener'
import { WorkerSlot } from './worker-slot'

/** The time that a worker may take to exit after its last request. */
const EXIT_TIMEOUT_MS = 5_000

export class Workers implements Service {
  private readonly slots: WorkerSlot[]
  private readonly registry = new Registry()
  /** The index of the worker that got the last connection. */
  private last = 0

  constructor(
    private readonly settings: Settings,
    private readonly listener: Listener,
    shared: SharedConfig,
    log: Logger,
  ) {
    // Metrics may be NaN, which JSON cannot represent.
    cluster.setupPrimary({ serialization: 'advanced' })
    // Counts the requests of each key for all workers.
    new RateLimiterClusterMaster()
    const restarts = this.registerMetrics()
    const numbers = Array.from({ length: settings.workers }, (_, i) => i + 1)
    this.slots = numbers.map(number => new WorkerSlot(number, listener, shared, log, () => restarts.inc()))
  }

  async start(): Promise<void> {
    this.listener.passTo(socket => this.pass(socket))
    await Promise.all(this.slots.map(slot => slot.start()))
  }

  /** Returns the metrics of all processes, labelled by worker: a sum would fall when a worker dies. */
  async collectMetrics(): Promise<Registry> {
    const metrics = await Promise.all(this.slots.map(slot => slot.readMetrics()))
    return AggregatorRegistry.aggregate([await this.registry.getMetricsAsJSON(), ...metrics])
  }

  async stop(): Promise<void> {
    // Only then may responses close their connections, as clients would reconnect.
    await this.listener.close(this.settings.shutdownTimeoutMs)
    const timeoutMs = this.settings.shutdownTimeoutMs + EXIT_TIMEOUT_MS
    await Promise.all(this.slots.map(slot => slot.stop(timeoutMs)))
  }

  private pass(socket: Socket): boolean {
    for (let i = 1; i <= this.slots.length; i++) {
      const index = (this.last + i) % this.slots.length
      if (!this.slots[index]?.serve(socket)) continue
      this.last = index
      return true
    }
    return false
  }

  private registerMetrics(): Counter {
    const registers = [this.registry]
    const countReady = () => this.slots.filter(slot => slot.isReady).length
    this.registry.setDefaultLabels({ worker: 'primary' })
    collectDefaultMetrics({ register: this.registry })
    new Gauge({
      name: 'service_workers',
      help: 'Workers that serve.',
      registers,
      collect() {
        this.set(countReady())
      },
    })
    return new Counter({
      name: 'service_worker_restarts_total',
      help: 'Workers that died and were replaced.',
      registers,
    })
  }
}
