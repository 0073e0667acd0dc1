/** A worker process: serves the connections that the primary accepts, and obeys its messages. */
import type { Socket } from 'node:net'
import type { Registry } from 'prom-client'
import { OperatorError } from '../../../db/operator-error'
import { WorkerCounter } from '../../../rest-gateway/auth/worker-counter'
import type { Invocation } from '../../invocation'
import type { Settings } from '../../settings'
import { isRegularShutdown, reportRejections, requestShutdown, shutdownRequested, shutdownSignal } from '../../shutdown'
import { type Cleanup, createGatewayProcess, type GatewayProcess, type SharedConfig } from '../gateway-process'
import { createLogger } from '../logger'

export type PrimaryMessage =
  | { type: 'start'; shared: SharedConfig; worker: number }
  /** Comes with a connection. */
  | { type: 'connection' }
  /** Has a reply with the same id. */
  | { type: 'metrics'; id: number }
  | { type: 'stop' }

export type WorkerMessage =
  /** The worker can receive messages. */
  | { type: 'online' }
  | { type: 'ready' }
  /** The worker has received the last connection, whose requests are now its own. */
  | { type: 'accepted' }
  /** The worker's event loop runs. */
  | { type: 'alive' }
  | { type: 'reply'; id: number; metrics: MetricsJson | undefined }
  | { type: 'failed'; code: string; message: string }

/** The interval at which a worker reports that it is alive. */
export const ALIVE_INTERVAL_MS = 1_000

export type MetricsJson = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

/** Serves until the primary sends `stop`. */
export async function serveAsWorker(invocation: Invocation, settings: Settings): Promise<void> {
  const log = createLogger(settings.logLevel)
  reportRejections(error => log.error({ err: error }, 'unhandled promise rejection'))
  const cleanup: Cleanup = []
  let gateway: GatewayProcess | undefined
  const onMessage = async (message: PrimaryMessage, socket?: Socket): Promise<void> => {
    if (message.type === 'start') {
      const isStopping = () => shutdownSignal.aborted
      const rateCounter = new WorkerCounter(settings.workers)
      gateway = createGatewayProcess(settings, message.shared, log, cleanup, isStopping, rateCounter)
      const { connections, registry } = gateway
      registry.setDefaultLabels({ worker: message.worker })
      cleanup.push(() => connections.close(settings.shutdownTimeoutMs))
      await send({ type: 'ready' })
    } else if (message.type === 'connection') {
      // Sent before anything is read: if this process dies before, the primary passes the connection to another one.
      void send({ type: 'accepted' })
      if (socket) gateway?.connections.serve(socket)
    } else if (message.type === 'metrics') {
      await send({ type: 'reply', id: message.id, metrics: await gateway?.registry.getMetricsAsJSON() })
    } else if (message.type === 'stop') {
      requestShutdown(new OperatorError('INTERRUPTED', 'stopped by the primary'))
    }
  }
  process.on('message', (message: PrimaryMessage, socket?: Socket) => {
    onMessage(message, socket).catch(requestShutdown)
  })
  setInterval(() => void send({ type: 'alive' }), ALIVE_INTERVAL_MS).unref()
  await send({ type: 'online' })
  await shutdownRequested()
  for (const step of cleanup.reverse()) await step()
  if (isRegularShutdown()) return
  const { code = 'INTERNAL', message = String(shutdownSignal.reason) } = shutdownSignal.reason as Partial<OperatorError>
  await send({ type: 'failed', code, message })
  invocation.exitCode = 1
}

const send = (message: WorkerMessage): Promise<void> =>
  new Promise(resolve => {
    process.send?.(message, undefined, {}, () => resolve())
  })
