/**
 * Several processes behind one port. The primary answers nothing itself: it accepts connections and hands them out in
 * turn, gathers what the workers counted, and ends them. Since it is the one who listens, there is a moment from which on
 * nothing more is accepted, and all that was accepted before is with a worker that answers it.
 */
import cluster from 'node:cluster'
import { createServer, type Socket } from 'node:net'
import type { Logger } from 'pino'
import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { RateLimiterClusterMaster } from 'rate-limiter-flexible'
import type { Settings } from '../settings'
import { emptyQueue, listen } from './listening'
import { Place } from './place'
import type { Service, Shared } from './serving'

/** What a worker may need to end, beyond what its requests may take. */
const END_PATIENCE_MS = 5_000

export class Workers implements Service {
  private readonly places: Place[]
  private readonly registry = new Registry()
  private readonly server = createServer({ pauseOnConnect: true, noDelay: true }, socket => this.hand(socket))
  private handed = 0

  constructor(
    private readonly settings: Settings,
    shared: Shared,
    log: Logger,
  ) {
    // Figures may be NaN, which JSON does not know.
    cluster.setupPrimary({ serialization: 'advanced' })
    // Counts for all of them how often a key has asked.
    new RateLimiterClusterMaster()
    const restarts = this.measure()
    const onReplaced = () => restarts.inc()
    const onReturned = (socket: Socket) => this.hand(socket)
    this.places = Array.from(
      { length: settings.workers },
      (_, i) => new Place(i + 1, shared, log, onReplaced, onReturned),
    )
  }

  /** Starts them, and listens once all serve. */
  async open(): Promise<string> {
    await Promise.all(this.places.map(place => place.open()))
    return listen(this.server, this.settings.host, this.settings.port, 'PORT')
  }

  /** What all processes counted, by worker: one that dies takes its figures along, and sums would fall. */
  async gather(): Promise<Registry> {
    const counted = await Promise.all(this.places.map(place => place.count()))
    return AggregatorRegistry.aggregate([await this.registry.getMetricsAsJSON(), ...counted])
  }

  async close(): Promise<void> {
    await emptyQueue(this.server)
    this.server.close()
    const patience = this.settings.shutdownTimeoutMs + END_PATIENCE_MS
    await Promise.all(this.places.map(place => place.close(patience)))
  }

  private hand(socket: Socket): void {
    const places = this.places.filter(place => place.isServing)
    const place = places[this.handed++ % places.length]
    if (place) place.hand(socket)
    else socket.destroy()
  }

  private measure(): Counter {
    const registers = [this.registry]
    const running = () => this.places.filter(place => place.isServing).length
    this.registry.setDefaultLabels({ worker: 'primary' })
    collectDefaultMetrics({ register: this.registry })
    new Gauge({
      name: 'service_workers',
      help: 'Workers that serve.',
      registers,
      collect() {
        this.set(running())
      },
    })
    return new Counter({
      name: 'service_worker_restarts_total',
      help: 'Workers that died and were replaced.',
      registers,
    })
  }
}
