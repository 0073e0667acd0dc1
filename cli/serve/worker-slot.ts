/** Runs one worker, and starts another whenever it dies. */
import cluster, { type Worker } from 'node:cluster'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { OperatorError } from '../../db/operator-error'
import type { SharedConfig } from './gateway-process'
import { closeUnacceptedConnections } from './unaccepted-connections'
import type { MetricsJson, PrimaryMessage, RequestType, WorkerMessage } from './worker'

/** A worker that lived this long did not die of its start. */
const STABLE_MS = 30_000

/** The first restart is immediate. The delay of further ones doubles up to this. */
const MAX_BACKOFF_MS = 30_000

const REQUEST_TIMEOUT_MS = 2_000

export class WorkerSlot {
  private worker: Worker | undefined
  /** The URL on which the worker listens; undefined while it does not. */
  private url: string | undefined
  private exited: Promise<string | number> = Promise.resolve(0)
  private isStopping = false
  private requests = 0
  private port = 0

  /** @param number labels the worker in logs and metrics; its successors have the same */
  constructor(
    private readonly number: number,
    private readonly shared: SharedConfig,
    private readonly log: Logger,
    private readonly onRestart: () => void,
  ) {}

  get isListening(): boolean {
    return this.url !== undefined
  }

  /** Starts the worker, and returns the URL on which it listens. @throws OperatorError of the worker */
  async start(port: number): Promise<string> {
    this.port = port
    const url = await this.fork()
    void this.supervise()
    return url
  }

  /** The worker's metrics; none when there is no worker, or it does not reply. */
  async readMetrics(): Promise<MetricsJson> {
    return ((await this.request('metrics')) as MetricsJson | undefined) ?? []
  }

  /** The worker accepts no further connections. */
  async stopListening(): Promise<void> {
    this.isStopping = true
    await this.request('stopListening')
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

  private fork(): Promise<string> {
    const worker = cluster.fork()
    this.worker = worker
    closeUnacceptedConnections(worker)
    // Sending to a worker that has just died is an error.
    worker.on('error', () => {})
    return new Promise((resolve, reject) => {
      this.exited = new Promise(resolveExit => {
        worker.once('exit', (code, signal) => {
          this.worker = undefined
          this.url = undefined
          resolveExit(signal ?? code)
          const cause = signal ?? `exit code ${code}`
          reject(new OperatorError('WORKER_DIED', `a worker ended before it listened: ${cause}`))
        })
      })
      worker.on('message', (message: WorkerMessage) => {
        if (message.type === 'online')
          send(worker, { type: 'start', shared: this.shared, worker: this.number, port: this.port })
        if (message.type === 'failed') reject(new OperatorError(message.code, message.message))
        if (message.type === 'listening') {
          this.url = message.url
          resolve(message.url)
        }
      })
    })
  }

  /** Resolves with the worker's reply; with undefined when there is no worker, or it does not reply in time. */
  private async request(type: RequestType): Promise<unknown> {
    const { worker } = this
    if (!worker) return undefined
    const id = ++this.requests
    let onMessage = (_: WorkerMessage) => {}
    const reply = new Promise(resolve => {
      onMessage = message => {
        if (message.type === 'reply' && message.id === id) resolve(message.result)
      }
    })
    worker.on('message', onMessage)
    send(worker, { type, id })
    const exited = this.exited.then(() => undefined)
    const result = await Promise.race([reply, exited, sleep(REQUEST_TIMEOUT_MS, undefined, { ref: false })])
    worker.off('message', onMessage)
    return result
  }
}

const send = (worker: Worker, message: PrimaryMessage): void => void worker.send(message, () => {})
