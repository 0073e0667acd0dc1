/** Runs one worker, and starts another whenever it dies. */
import cluster, { type Worker } from 'node:cluster'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { OperatorError } from '../../../db/operator-error'
import type { SharedConfig } from '../gateway-process'
import type { Listener } from '../listener'
import type { MetricsJson, PrimaryMessage, WorkerMessage } from './worker'

/** A worker that lived this long did not die of its start. */
const STABLE_MS = 30_000

/** The first restart is immediate. The delay of further ones doubles up to this. */
const MAX_BACKOFF_MS = 30_000

const METRICS_TIMEOUT_MS = 2_000

const CHECK_INTERVAL_MS = 1_000

/**
 * A worker that has sent nothing for so many checks hangs. Unlike a time, checks do not pass while the machine is suspended or
 * the primary itself has to wait.
 */
const MAX_SILENT_CHECKS = 15

/** While a worker loads its modules, it cannot send anything; on a busy machine that takes long. */
const MAX_SILENT_CHECKS_AT_START = 120

export class WorkerSlot {
  isReady = false
  private worker: Worker | undefined
  /** The connection that the worker has not accepted yet. */
  private passed: Socket | undefined
  private exited: Promise<string | number> = Promise.resolve(0)
  private isStopping = false
  private requests = 0

  /** @param number labels the worker in logs and metrics; its successors have the same */
  constructor(
    private readonly number: number,
    private readonly listener: Listener,
    private readonly shared: SharedConfig,
    private readonly log: Logger,
    private readonly onRestart: () => void,
  ) {}

  /** Starts the worker, and waits until it serves. @throws OperatorError of the worker */
  async start(): Promise<void> {
    await this.fork()
    void this.supervise()
  }

  /** Passes a connection to the worker; one at a time, so that a busy worker gets fewer. */
  serve(socket: Socket): boolean {
    if (!this.worker || !this.isReady || this.passed) return false
    this.passed = socket
    // Open here until the worker has accepted it: it may die before.
    this.worker.send({ type: 'connection' }, socket, { keepOpen: true }, () => {})
    return true
  }

  /** Returns the worker's metrics; none when there is no worker, or it does not reply. */
  async readMetrics(): Promise<MetricsJson> {
    const { worker } = this
    if (!worker) return []
    const id = ++this.requests
    let onMessage = (_: WorkerMessage) => {}
    const reply = new Promise<MetricsJson | undefined>(resolve => {
      onMessage = message => {
        if (message.type === 'reply' && message.id === id) resolve(message.metrics)
      }
    })
    worker.on('message', onMessage)
    send(worker, { type: 'metrics', id })
    const exited = this.exited.then(() => undefined)
    const metrics = await Promise.race([reply, exited, sleep(METRICS_TIMEOUT_MS, undefined, { ref: false })])
    worker.off('message', onMessage)
    return metrics ?? []
  }

  /** Lets the worker finish its requests, and kills it after the timeout. */
  async stop(timeoutMs: number): Promise<void> {
    this.isStopping = true
    const { worker } = this
    if (!worker) return
    send(worker, { type: 'stop' })
    const timeout = setTimeout(() => worker.process.kill('SIGKILL'), timeoutMs)
    await this.exited
    clearTimeout(timeout)
  }

  private async supervise(): Promise<void> {
    let deaths = 0
    while (!this.isStopping) {
      const start = performance.now()
      const pid = this.worker?.process.pid
      const ended = await this.exited
      if (this.isStopping) return
      deaths = performance.now() - start > STABLE_MS ? 1 : deaths + 1
      this.log.error({ worker: this.number, worker_pid: pid, ended }, 'a worker died; starting another')
      await sleep(deaths === 1 ? 0 : Math.min(2 ** deaths * 250, MAX_BACKOFF_MS), undefined, { ref: false })
      if (this.isStopping) return
      this.onRestart()
      await this.fork().catch(error => this.log.error({ worker: this.number, err: error }, 'a worker did not start'))
    }
  }

  private async fork(): Promise<void> {
    const worker = cluster.fork()
    this.worker = worker
    // Sending to a worker that has just died is an error.
    worker.on('error', () => {})
    const stopWatching = this.watch(worker)
    this.exited = new Promise(resolve => {
      worker.once('exit', (code, signal) => {
        stopWatching()
        this.worker = undefined
        this.isReady = false
        resolve(signal ?? code)
        void this.passElsewhere()
      })
    })
    await new Promise<void>((resolve, reject) => {
      worker.on('message', (message: WorkerMessage) => {
        if (message.type === 'online') send(worker, { type: 'start', shared: this.shared, worker: this.number })
        if (message.type === 'failed') reject(new OperatorError(message.code, message.message))
        if (message.type === 'accepted') this.onAccepted()
        if (message.type === 'ready') {
          this.isReady = true
          this.listener.passWaiting()
          resolve()
        }
      })
      void this.exited.then(ended => {
        const cause = typeof ended === 'string' ? ended : `exit code ${ended}`
        reject(new OperatorError('WORKER_DIED', `a worker ended before it was ready: ${cause}`))
      })
    })
  }

  private onAccepted(): void {
    this.passed?.destroy()
    this.passed = undefined
    this.listener.passWaiting()
  }

  /** Has another worker serve the connection that a dead worker has not accepted. */
  private async passElsewhere(): Promise<void> {
    // All that it sent is in the channel now, and is read meanwhile. Node does not always emit `disconnect` behind it.
    for (let i = 0; i < 2; i++) await new Promise(setImmediate)
    const { passed } = this
    this.passed = undefined
    if (passed && !passed.destroyed) this.listener.accept(passed)
  }

  /** Kills a worker that hangs. @returns a function that ends this */
  private watch(worker: Worker): () => void {
    let silentChecks = 0
    worker.on('message', () => {
      silentChecks = 0
    })
    const timer = setInterval(() => {
      if (++silentChecks !== (this.isReady ? MAX_SILENT_CHECKS : MAX_SILENT_CHECKS_AT_START)) return
      this.log.error({ worker: this.number, worker_pid: worker.process.pid }, 'a worker does not respond; killing it')
      worker.process.kill('SIGKILL')
    }, CHECK_INTERVAL_MS)
    return () => clearInterval(timer)
  }
}

const send = (worker: Worker, message: PrimaryMessage): void => void worker.send(message, () => {})
