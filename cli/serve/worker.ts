/** One of several processes that serve. The primary tells it when to begin and to end, and asks it what it counted. */
import type { Socket } from 'node:net'
import type { Registry } from 'prom-client'
import { RateLimiterCluster } from 'rate-limiter-flexible'
import { OperatorError } from '../../db/operator-error'
import { COUNTER_OPTIONS } from '../../rest-gateway/auth/rate-limits'
import { createLogger } from '../logger'
import type { Settings } from '../settings'
import { isRegularShutdown, reportRejections, requestShutdown, shutdownRequested, shutdownSignal } from '../shutdown'
import { type Cleanup, prepareServer, type Shared } from './gateway-process'
import { HandedServer } from './listening'

/** What a worker is told. */
export type Order =
  | { begin: Shared & { worker: number } }
  /** Comes with a connection. Numbers come back with what answers them. */
  | { take: number }
  /** Asks for what was counted. */
  | { count: number }
  | { stop: true }

/** What a worker tells. */
export type Told =
  | { ready: true }
  | { taken: number }
  | { counted: number; metrics: Metrics }
  | { fault: { code: string; message: string } }

export type Metrics = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

/** Serves until the primary says that it is enough. */
export async function serveAsWorker(settings: Settings): Promise<void> {
  const log = createLogger(settings.logLevel)
  reportRejections(fault => log.error({ err: fault }, 'a promise failed that nobody waited for'))
  const undo: Cleanup = []
  let handed: HandedServer | undefined
  let counts: Registry | undefined
  const obey = async (order: Order, socket?: Socket): Promise<void> => {
    if ('begin' in order) {
      const { worker, ...shared } = order.begin
      const { server, metrics } = prepareServer(settings, shared, log, undo, new RateLimiterCluster(COUNTER_OPTIONS))
      const connections = new HandedServer(server, settings.maxConnections)
      undo.push(() => connections.close(settings.shutdownTimeoutMs))
      handed = connections
      counts = metrics.registry
      counts.setDefaultLabels({ worker })
      await tell({ ready: true })
    } else if ('take' in order) {
      // One that its client has left already does not arrive.
      if (socket) handed?.take(socket)
      await tell({ taken: order.take })
    } else if ('count' in order) {
      await tell({ counted: order.count, metrics: (await counts?.getMetricsAsJSON()) ?? [] })
    } else if ('stop' in order) {
      requestShutdown(new OperatorError('INTERRUPTED', 'ended by the primary'))
    }
  }
  // Answers of whatever counts for all workers come this way too, and are none of ours.
  process.on('message', (order: Order, socket?: Socket) => {
    obey(order, socket).catch(requestShutdown)
  })
  await shutdownRequested()
  for (const end of undo.reverse()) await end()
  if (isRegularShutdown()) return
  const { code = 'INTERNAL', message = String(shutdownSignal.reason) } = shutdownSignal.reason as Partial<OperatorError>
  await tell({ fault: { code, message } })
  process.exitCode = 1
}

const tell = (told: Told): Promise<void> =>
  new Promise(resolve => {
    process.send?.(told, undefined, {}, () => resolve())
  })
