/**
 * Several processes behind one port. The primary answers nothing itself: it accepts connections and hands them out in
 * turn, gathers what the workers counted, and ends them. Since it is the one who listens, there is a moment from which on
 * nothing more is accepted, and all that was accepted before is with a worker that answers it.
 */
import cluster from 'node:cluster'
import { createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { RateLimiterClusterMaster } from 'rate-limiter-flexible'
import type { Settings } from '../settings'
import { ConnectionQueue } from './connection-queue'
import type { Service, Shared } from './gateway-process'
import { emptyQueue, listen } from './listening'
import { WorkerSlot } from './worker-slot'

/** While there is a crowd of connections to take, a worker is left so long for what it has taken already. */
const BETWEEN_MS = 10

/** What a worker may need to end, beyond what its requests may take. */
const END_PATIENCE_MS = 5_000

export class Workers implements Service {
  private readonly places: WorkerSlot[]
  private readonly registry = new Registry()
  private readonly server = createServer({ pauseOnConnect: true, noDelay: true }, socket => this.take(socket))
  /** Connections that no worker was free to take so far. */
  private readonly waiting = new ConnectionQueue()
  private handed = 0
  private isClosing = false

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
    const onReturned = (socket: Socket) => this.take(socket)
    const onFree = () => {
      if (this.waiting.size > 0) setTimeout(() => this.hand(), this.isClosing ? 0 : BETWEEN_MS)
    }
    this.places = Array.from(
      { length: settings.workers },
      (_, i) => new WorkerSlot(i + 1, shared, log, onReplaced, onReturned, onFree),
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
    this.isClosing = true
    const patience = this.settings.shutdownTimeoutMs + END_PATIENCE_MS
    const until = performance.now() + patience
    while (this.waiting.size > 0 && performance.now() < until) await sleep(1)
    for (let socket = this.waiting.take(); socket; socket = this.waiting.take()) socket.destroy()
    await Promise.all(this.places.map(place => place.close(patience)))
  }

  /** Takes a connection, for the next worker that is free. */
  private take(socket: Socket): void {
    const isServed = this.places.some(place => place.isServing)
    if (!isServed || this.waiting.size >= this.settings.maxConnections) return void socket.destroy()
    this.waiting.add(socket)
    if (this.waiting.size === 1) this.hand()
  }

  /** Hands out what waits, one connection to each worker that is free. */
  private hand(): void {
    for (let i = 0; i < this.places.length && this.waiting.size > 0; i++) {
      const place = this.places[this.handed++ % this.places.length] as WorkerSlot
      if (place.isFree) place.hand(this.waiting.take() as Socket)
    }
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
