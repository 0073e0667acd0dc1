/**
 * Fair queue in front of the database connections. A connection that is handed out comes back only when its work ends. So the last
 * free one is left to callers who hold none: whoever holds some takes another only within two thirds of those that the others leave.
 * Callers take turns, and each waits in a line of its own, since some would fill a shared one.
 */
import type { EventEmitter } from 'node:events'

/** Requests of one caller that may wait at once. */
const MAX_WAITING = 500

interface Caller {
  readonly name: string
  running: number
  /** Functions that begin the waiting requests, in the order of arrival. */
  readonly waiting: Set<() => void>
}

export class FairQueue {
  /** The number of waiting requests. */
  waiting = 0
  /** Callers with running or waiting requests, the least recently served first. */
  private readonly callers = new Map<string, Caller>()
  private running = 0

  /** @param maxWaitMs how long a request may wait for a connection */
  constructor(
    private readonly connections: number,
    private readonly maxWaitMs: number,
  ) {}

  /**
   * Waits for a connection. Resolves with undefined after too long a wait, and at once when too many requests of the caller wait.
   *
   * @param response closes when its client is gone, which ends the wait: all that wait are no more than the open responses
   * @returns a function that gives it back, to be called once
   */
  async acquire(name: string, response: EventEmitter): Promise<(() => void) | undefined> {
    const caller = this.callers.get(name) ?? { name, running: 0, waiting: new Set() }
    if (this.canStart(caller)) return this.start(caller)
    if (caller.waiting.size >= MAX_WAITING) return undefined
    this.callers.set(name, caller)
    this.waiting++
    return new Promise(resolve => {
      const end = (release?: () => void) => {
        clearTimeout(timeout)
        response.off('close', end)
        caller.waiting.delete(begin)
        this.waiting--
        this.forgetIdle(caller)
        resolve(release)
      }
      const begin = () => end(this.start(caller))
      const timeout = setTimeout(end, this.maxWaitMs)
      response.once('close', end)
      caller.waiting.add(begin)
    })
  }

  private canStart({ running }: Caller): boolean {
    const free = this.connections - this.running
    return free > 0 && (running === 0 || running + 1 <= ((free + running) * 2) / 3)
  }

  private start(caller: Caller): () => void {
    caller.running++
    this.running++
    this.callers.delete(caller.name)
    this.callers.set(caller.name, caller)
    return () => this.finish(caller)
  }

  private finish(caller: Caller): void {
    caller.running--
    this.running--
    this.forgetIdle(caller)
    for (const next of this.callers.values()) {
      const [begin] = next.waiting
      // A caller who starts is the last in turn, and is met again.
      if (begin && this.canStart(next)) begin()
    }
  }

  private forgetIdle({ name, running, waiting }: Caller): void {
    if (running === 0 && waiting.size === 0) this.callers.delete(name)
  }
}
