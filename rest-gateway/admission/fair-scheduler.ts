/**
 * Round-robin scheduler with a concurrency limit per caller. The limit applies while others wait: a slot that nobody else
 * can use is given to any caller.
 */

/** Requests that may wait at once. One caller may have half of them. */
const MAX_WAITING = 1_000

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
  /** The number of waiting requests. */
  waiting = 0
  /** Callers with running or waiting requests, the least recently served first. */
  private readonly callers = new Map<string, Caller>()
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
    // Ad hoc queries may run for seconds: some slots always remain for persisted queries.
    this.maxAdHoc = Math.max(1, Math.floor(slots * 0.75))
  }

  /**
   * Waits for a slot. Resolves with undefined after too long a wait, and at once when too many requests wait already.
   *
   * @param name of the caller, whose ad hoc queries are scheduled as if they were another caller's
   */
  async acquire(name: string, isAdHoc = false): Promise<Release | undefined> {
    const id = isAdHoc ? `${name} ad hoc` : name
    const caller = this.callers.get(id) ?? { id, isAdHoc, running: 0, waiting: new Set() }
    if (this.canStart(caller)) this.start(caller)
    else if (!(await this.wait(caller))) return undefined
    return () => this.finish(caller)
  }

  /** Resolves with false when the request does not start. */
  private async wait(caller: Caller): Promise<boolean> {
    if (this.waiting >= MAX_WAITING || caller.waiting.size >= MAX_WAITING / 2) return false
    this.callers.set(caller.id, caller)
    this.waiting++
    const started = await new Promise<boolean>(resolve => {
      const start = () => {
        clearTimeout(timeout)
        caller.waiting.delete(start)
        this.start(caller)
        resolve(true)
      }
      const timeout = setTimeout(() => {
        caller.waiting.delete(start)
        this.forgetIdle(caller)
        resolve(false)
      }, this.maxWaitMs)
      caller.waiting.add(start)
    })
    this.waiting--
    return started
  }

  private start(caller: Caller): void {
    this.count(caller, 1)
    this.callers.delete(caller.id)
    this.callers.set(caller.id, caller)
  }

  private finish(caller: Caller): void {
    this.count(caller, -1)
    for (let next = this.next(); next; next = this.next()) {
      const [start] = next.waiting
      start?.()
    }
    this.forgetIdle(caller)
  }

  /** Returns the first waiting caller below the limit. Without one, the first that can start at all. */
  private next(): Caller | undefined {
    let first: Caller | undefined
    for (const caller of this.callers.values()) {
      if (caller.waiting.size === 0 || !this.canStart(caller)) continue
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
