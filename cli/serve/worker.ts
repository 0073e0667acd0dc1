/** A worker process: serves on the port that all workers share, and obeys the messages of the primary. */
import type { Registry } from 'prom-client'
import { RateLimiterCluster } from 'rate-limiter-flexible'
import { OperatorError } from '../../db/operator-error'
import { COUNTER_OPTIONS } from '../../rest-gateway/auth/rate-limits'
import { createLogger } from '../logger'
import type { Settings } from '../settings'
import { isRegularShutdown, reportRejections, requestShutdown, shutdownRequested, shutdownSignal } from '../shutdown'
import { type Cleanup, createGatewayProcess, type GatewayProcess, type SharedConfig } from './gateway-process'
import { closeServer, listen, stopListening } from './listening'

export type PrimaryMessage =
  | { type: 'start'; shared: SharedConfig; worker: number; port: number }
  /** Requests have a reply with the same id. */
  | { type: RequestType; id: number }
  | { type: 'stop' }

export type RequestType = 'metrics' | 'stopListening'

export type WorkerMessage =
  /** The worker can receive messages. */
  | { type: 'online' }
  | { type: 'listening'; url: string }
  | { type: 'reply'; id: number; result: unknown }
  | { type: 'failed'; code: string; message: string }

export type MetricsJson = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

/** Serves until the primary sends `stop`. */
export async function serveAsWorker(settings: Settings): Promise<void> {
  const log = createLogger(settings.logLevel)
  reportRejections(error => log.error({ err: error }, 'unhandled promise rejection'))
  const cleanup: Cleanup = []
  let gateway: GatewayProcess | undefined
  const onMessage = async (message: PrimaryMessage): Promise<void> => {
    if (message.type === 'start') {
      gateway = createGatewayProcess(settings, message.shared, log, cleanup, new RateLimiterCluster(COUNTER_OPTIONS))
      const { server, registry } = gateway
      registry.setDefaultLabels({ worker: message.worker })
      cleanup.push(() => closeServer(server, settings.shutdownTimeoutMs))
      await send({ type: 'listening', url: await listen(server, settings.host, message.port, 'PORT') })
    } else if (message.type === 'metrics') {
      await send({ type: 'reply', id: message.id, result: await gateway?.registry.getMetricsAsJSON() })
    } else if (message.type === 'stopListening') {
      if (gateway) await stopListening(gateway.server)
      await send({ type: 'reply', id: message.id, result: undefined })
    } else if (message.type === 'stop') {
      requestShutdown(new OperatorError('INTERRUPTED', 'stopped by the primary'))
    }
  }
  process.on('message', (message: PrimaryMessage) => {
    onMessage(message).catch(requestShutdown)
  })
  await send({ type: 'online' })
  await shutdownRequested()
  for (const step of cleanup.reverse()) await step()
  if (isRegularShutdown()) return
  const { code = 'INTERNAL', message = String(shutdownSignal.reason) } = shutdownSignal.reason as Partial<OperatorError>
  await send({ type: 'failed', code, message })
  process.exitCode = 1
}

const send = (message: WorkerMessage): Promise<void> =>
  new Promise(resolve => {
    process.send?.(message, undefined, {}, () => resolve())
  })
