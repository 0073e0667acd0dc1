/**
 * Round-robin scheduler with a concurrency limit per caller. The limit applies while others wait: a slot that nobody else
 * can use is given to any caller.
 */
import { ApiError } from '../../schema/errors'

/** Frees a slot. Call it once. */
export type Release = () => void

interface Caller {
  readonly id: string
  readonly isAdHoc: boolean
  running: number
  /** Functions that start the waiting requests, in the order of arrival. */
  readonly waiting: Set<() => void>
}

export class FairScheduler {
  /** Callers with running or waiting requests. */
  private readonly callers = new Map<string, Caller>()
  /** Callers with waiting requests. The one whose turn is next comes first. */
  private readonly backlogged = new Set<Caller>()
  private readonly maxPerCaller: number
  private readonly maxAdHoc: number
  private running = 0
  private runningAdHoc = 0

  /**
   * @param slots how many requests run at once
   * @param maxWaitMs how long a request may wait for a slot
   */
  constructor(
    private readonly slots: number,
    private readonly maxWaitMs: number,
  ) {
    this.maxPerCaller = Math.ceil(slots / 2)
    // An ad hoc query may run for seconds: some slots always remain for persisted queries, which are short.
    this.maxAdHoc = Math.max(1, Math.floor(slots * 0.75))
  }

  /** How many requests wait. */
  get waiting(): number {
    let sum = 0
    for (const { waiting } of this.backlogged) sum += waiting.size
    return sum
  }

  /**
   * Waits for a slot.
   *
   * @param name of the caller, whose ad hoc queries are scheduled as if they were another caller's
   * @throws ApiError UNAVAILABLE after maxWaitMs
   */
  async acquire(name: string, isAdHoc = false): Promise<Release> {
    const id = isAdHoc ? `${name} ad hoc` : name
    const caller = this.callers.get(id) ?? { id, isAdHoc, running: 0, waiting: new Set() }
    this.callers.set(id, caller)
    if (this.canStart(caller)) this.count(caller, 1)
    else await this.wait(caller)
    return () => {
      this.count(caller, -1)
      this.dispatch()
      this.forgetIdle(caller)
    }
  }

  private wait(caller: Caller): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timeout)
        caller.waiting.delete(start)
        if (caller.waiting.size === 0) this.backlogged.delete(caller)
      }
      const start = () => {
        leave()
        this.count(caller, 1)
        resolve()
      }
      const timeout = setTimeout(() => {
        leave()
        this.forgetIdle(caller)
        reject(new ApiError('UNAVAILABLE'))
      }, this.maxWaitMs)
      caller.waiting.add(start)
      this.backlogged.add(caller)
    })
  }

  /** Starts waiting requests while there are slots for them. */
  private dispatch(): void {
    for (let caller = this.next(); caller; caller = this.next()) {
      // The caller's next turn comes after everybody else's.
      this.backlogged.delete(caller)
      this.backlogged.add(caller)
      const [start] = caller.waiting
      start?.()
    }
  }

  /** The first backlogged caller below the limit; without one, the first that can start at all. */
  private next(): Caller | undefined {
    let first: Caller | undefined
    for (const caller of this.backlogged) {
      if (!this.canStart(caller)) continue
      if (caller.running < this.maxPerCaller) return caller
      first ??= caller
    }
    return first
  }

  private canStart({ isAdHoc }: Caller): boolean {
    return this.running < this.slots && !(isAdHoc && this.runningAdHoc >= this.maxAdHoc)
  }

  private count(caller: Caller, change: 1 | -1): void {
    caller.running += change
    this.running += change
    if (caller.isAdHoc) this.runningAdHoc += change
  }

  private forgetIdle({ id, running, waiting }: Caller): void {
    if (running === 0 && waiting.size === 0) this.callers.delete(id)
  }
}
