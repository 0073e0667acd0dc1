/** The place of one worker: whenever the process in it dies, another takes over. */
import cluster, { type Worker } from 'node:cluster'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { OperatorError } from '../../db/operator-error'
import type { Shared } from './gateway-process'
import type { Metrics, Order, Told } from './worker'

/** A worker that lived so long did not die of its start. */
const LONG_LIFE_MS = 30_000

/** The first that dies young is followed at once, the next ones after a pause that doubles up to this. */
const LONGEST_PAUSE_MS = 30_000

/** So long a worker may take to say what it counted. */
const COUNT_PATIENCE_MS = 2_000

export class WorkerSlot {
  private worker: Worker | undefined
  private ready = false
  private ended: Promise<unknown> = Promise.resolve()
  private stopping = false
  private asked = 0
  /** Connections that its worker has not said to have taken. */
  private readonly handed = new Map<number, Socket>()

  /**
   * @param number the worker's name in logs and metrics, the same for all who take this place
   * @param onReplaced is told each time
   * @param onReturned gets connections that a worker did not live to take
   * @param onFree is told each time that the worker has taken what it was handed
   */
  constructor(
    readonly number: number,
    private readonly shared: Shared,
    private readonly log: Logger,
    private readonly onReplaced: () => void,
    private readonly onReturned: (socket: Socket) => void,
    private readonly onFree: () => void,
  ) {}

  /** Whether there is a worker that serves. */
  get isServing(): boolean {
    return this.ready
  }

  /**
   * Whether its worker has taken what it was handed. Node keeps back whatever else is sent to a worker behind connections
   * that are on their way: the answers to all that its requests ask of the primary.
   */
  get isFree(): boolean {
    return this.ready && this.handed.size === 0
  }

  /** Starts the first worker; it serves when this comes to an end. @throws OperatorFault when it does not come to that */
  async open(): Promise<void> {
    await this.launch()
    this.keep()
  }

  /** Hands its worker a connection. */
  hand(socket: Socket): void {
    const number = ++this.asked
    this.handed.set(number, socket)
    this.worker?.send({ take: number } satisfies Order, socket, { keepOpen: true }, () => {})
  }

  /** What its worker counted; nothing when there is none, or it is too busy to say. */
  async count(): Promise<Metrics> {
    const number = ++this.asked
    const { worker } = this
    if (!worker) return []
    const counted = new Promise<Metrics>(resolve => {
      const listener = (told: Told) => {
        if (!('counted' in told) || told.counted !== number) return
        worker.off('message', listener)
        resolve(told.metrics)
      }
      worker.on('message', listener)
    })
    send(worker, { count: number })
    return Promise.race([counted, sleep(COUNT_PATIENCE_MS, [], { ref: false })])
  }

  /** Ends its worker, which finishes what it accepted; one that takes too long is killed. */
  async close(patienceMs: number): Promise<void> {
    this.stopping = true
    this.ready = false
    const { worker } = this
    if (!worker) return
    send(worker, { stop: true })
    const killing = setTimeout(() => worker.process.kill('SIGKILL'), patienceMs)
    await this.ended
    clearTimeout(killing)
  }

  private async keep(): Promise<void> {
    let deaths = 0
    while (!this.stopping) {
      const began = performance.now()
      const pid = this.worker?.process.pid
      const how = await this.ended
      if (this.stopping) return
      deaths = performance.now() - began > LONG_LIFE_MS ? 1 : deaths + 1
      this.log.error({ worker: this.number, worker_pid: pid, ended: how }, 'a worker died; another takes its place')
      await sleep(deaths === 1 ? 0 : Math.min(2 ** deaths * 250, LONGEST_PAUSE_MS), undefined, { ref: false })
      if (this.stopping) return
      this.onReplaced()
      await this.launch().catch(error => this.log.error({ worker: this.number, err: error }, 'a worker did not start'))
    }
  }

  private launch(): Promise<void> {
    const worker = cluster.fork()
    this.worker = worker
    // What is sent to one that has just died.
    worker.on('error', () => {})
    send(worker, { begin: { ...this.shared, worker: this.number } })
    return new Promise((resolve, reject) => {
      this.ended = new Promise(end => {
        worker.once('exit', (code, signal) => {
          this.worker = undefined
          this.ready = false
          const returned = [...this.handed.values()]
          this.handed.clear()
          returned.forEach(this.onReturned)
          end(signal ?? code)
          reject(new OperatorError('WORKER_DIED', `a worker ended before it served: ${signal ?? `exit code ${code}`}`))
        })
      })
      worker.on('message', (told: Told) => {
        if ('ready' in told) {
          this.ready = true
          resolve()
          this.onFree()
        }
        if ('taken' in told) {
          // Ours is only a handle on what is the worker's now.
          this.handed.get(told.taken)?.destroy()
          this.handed.delete(told.taken)
          this.onFree()
        }
        if ('fault' in told) reject(new OperatorError(told.fault.code, told.fault.message))
      })
    })
  }
}

const send = (worker: Worker, order: Order): void => void worker.send(order, () => {})
