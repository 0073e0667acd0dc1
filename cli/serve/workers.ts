/** The primary process of several workers, which share one port through Node's cluster module. */
import cluster from 'node:cluster'
import type { Logger } from 'pino'
import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { RateLimiterClusterMaster } from 'rate-limiter-flexible'
import type { Settings } from '../settings'
import type { Service, SharedConfig } from './gateway-process'
import { findFreePort } from './listening'
import { WorkerSlot } from './worker-slot'

/** How long a worker may take to exit after its last request. */
const EXIT_TIMEOUT_MS = 5_000

export class Workers implements Service {
  private readonly slots: WorkerSlot[]
  private readonly registry = new Registry()

  constructor(
    private readonly settings: Settings,
    shared: SharedConfig,
    log: Logger,
  ) {
    // Metrics may be NaN, which JSON cannot represent.
    cluster.setupPrimary({ serialization: 'advanced' })
    // Counts the requests of each key for all workers.
    new RateLimiterClusterMaster()
    const restarts = this.registerMetrics()
    const numbers = Array.from({ length: settings.workers }, (_, i) => i + 1)
    this.slots = numbers.map(number => new WorkerSlot(number, shared, log, () => restarts.inc()))
  }

  async start(): Promise<string> {
    // Once all workers have died, port 0 would be another port for their successors.
    const { host, port } = this.settings
    const sharedPort = port === 0 ? await findFreePort(host) : port
    const [url] = await Promise.all(this.slots.map(slot => slot.start(sharedPort)))
    return url as string
  }

  /** The metrics of all processes, labelled by worker: a sum would fall when a worker dies. */
  async collectMetrics(): Promise<Registry> {
    const metrics = await Promise.all(this.slots.map(slot => slot.readMetrics()))
    return AggregatorRegistry.aggregate([await this.registry.getMetricsAsJSON(), ...metrics])
  }

  async stop(): Promise<void> {
    // One after the other: the cluster module hands connections on to workers that still listen. Only then may responses
    // close their connections, as clients would reconnect.
    for (const slot of this.slots) await slot.stopListening()
    const timeoutMs = this.settings.shutdownTimeoutMs + EXIT_TIMEOUT_MS
    await Promise.all(this.slots.map(slot => slot.stop(timeoutMs)))
  }

  private registerMetrics(): Counter {
    const registers = [this.registry]
    const countListening = () => this.slots.filter(slot => slot.isListening).length
    this.registry.setDefaultLabels({ worker: 'primary' })
    collectDefaultMetrics({ register: this.registry })
    new Gauge({
      name: 'service_workers',
      help: 'Workers that serve.',
      registers,
      collect() {
        this.set(countListening())
      },
    })
    return new Counter({
      name: 'service_worker_restarts_total',
      help: 'Workers that died and were replaced.',
      registers,
    })
  }
}
