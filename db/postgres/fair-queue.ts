/**
 * Fair queue in front of the database connections. Callers take turns, and none ever holds more than two thirds of the
 * connections, whether others wait or not: a connection that is handed out comes back only when its work ends.
 */

/** Requests that may wait at once. One caller may have half of them. */
const MAX_WAITING = 1_000

/** Gives a connection back. Call it once. */
export type Release = () => void

interface Caller {
  readonly name: string
  running: number
  /** Functions that start the waiting requests, in the order of arrival. */
  readonly waiting: Set<() => void>
}

export class FairQueue {
  /** The number of waiting requests. */
  waiting = 0
  /** Callers with running or waiting requests, the least recently served first. */
  private readonly callers = new Map<string, Caller>()
  private readonly maxPerCaller: number
  private running = 0

  /** @param maxWaitMs how long a request may wait for a connection */
  constructor(
    private readonly connections: number,
    private readonly maxWaitMs: number,
  ) {
    this.maxPerCaller = Math.max(1, Math.floor((connections * 2) / 3))
  }

  /** Waits for a connection. Resolves with undefined after too long a wait, and at once when too many requests wait already. */
  async acquire(name: string): Promise<Release | undefined> {
    const caller = this.callers.get(name) ?? { name, running: 0, waiting: new Set() }
    if (this.canStart(caller)) this.start(caller)
    else if (!(await this.wait(caller))) return undefined
    return () => this.finish(caller)
  }

  /** Resolves with false when the request does not start. */
  private async wait(caller: Caller): Promise<boolean> {
    if (this.waiting >= MAX_WAITING || caller.waiting.size >= MAX_WAITING / 2) return false
    this.callers.set(caller.name, caller)
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
    caller.running++
    this.running++
    this.callers.delete(caller.name)
    this.callers.set(caller.name, caller)
  }

  private finish(caller: Caller): void {
    caller.running--
    this.running--
    for (const next of this.callers.values()) {
      const [start] = next.waiting
      if (!start || !this.canStart(next)) continue
      start()
      break
    }
    this.forgetIdle(caller)
  }

  private canStart({ running }: Caller): boolean {
    return this.running < this.connections && running < this.maxPerCaller
  }

  private forgetIdle({ name, running, waiting }: Caller): void {
    if (running === 0 && waiting.size === 0) this.callers.delete(name)
  }
}
