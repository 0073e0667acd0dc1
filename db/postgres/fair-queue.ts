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
  /** Functions that resume the requests that let others go first. They come before those that have not begun: few are under way. */
  readonly yielding: Set<() => void>
}

/** The connection of a request. */
export interface Lease {
  /** Gives it back; to be called once. */
  release(): void
  /** Lets others who wait have it, and resolves when it is this request's turn again. */
  yield(): Promise<void>
}

export class FairQueue {
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
   */
  async acquire(name: string, response: EventEmitter): Promise<Lease | undefined> {
    const caller = this.callers.get(name) ?? { name, running: 0, waiting: new Set(), yielding: new Set() }
    if (this.canStart(caller)) return this.start(caller)
    if (caller.waiting.size >= MAX_WAITING) return undefined
    this.callers.set(name, caller)
    this.waiting++
    return new Promise(resolve => {
      const end = (lease?: Lease) => {
        clearTimeout(timeout)
        response.off('close', end)
        caller.waiting.delete(begin)
        this.waiting--
        this.forgetIdle(caller)
        resolve(lease)
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

  private start(caller: Caller): Lease {
    this.hold(caller)
    let isHeld = true
    let isOver = false
    return {
      release: () => {
        isOver = true
        if (isHeld) this.finish(caller)
      },
      yield: async () => {
        if (isOver || this.waiting === 0) return
        isHeld = false
        await this.resume(caller)
        isHeld = true
        if (isOver) this.finish(caller)
      },
    }
  }

  /** Gives a connection of a caller back, and waits until it has the next one. */
  private resume(caller: Caller): Promise<void> {
    return new Promise(resolve => {
      const begin = () => {
        caller.yielding.delete(begin)
        this.waiting--
        this.hold(caller)
        resolve()
      }
      caller.yielding.add(begin)
      this.waiting++
      this.finish(caller)
    })
  }

  private hold(caller: Caller): void {
    caller.running++
    this.running++
    this.callers.delete(caller.name)
    this.callers.set(caller.name, caller)
  }

  private finish(caller: Caller): void {
    caller.running--
    this.running--
    this.forgetIdle(caller)
    for (const next of this.callers.values()) {
      const [begin] = next.yielding.size > 0 ? next.yielding : next.waiting
      // A caller who starts is the last in turn, and is met again.
      if (begin && this.canStart(next)) begin()
    }
  }

  private forgetIdle({ name, running, waiting, yielding }: Caller): void {
    if (running === 0 && waiting.size === 0 && yielding.size === 0) this.callers.delete(name)
  }
}
