/**
 * Fair queue in front of the database connections. Callers take turns, and none ever holds more than two thirds of the
 * connections, whether others wait or not: a connection that is handed out comes back only when its work ends.
 */

/** Requests that may wait at once. One caller may have half of them. */
const MAX_WAITING = 1_000

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
  private readonly maxPerCaller: number
  private running = 0

  /** @param maxWaitMs how long a request may wait for a connection */
  constructor(
    private readonly connections: number,
    private readonly maxWaitMs: number,
  ) {
    this.maxPerCaller = Math.max(1, Math.floor((connections * 2) / 3))
  }

  /**
   * Waits for a connection. Resolves with undefined after too long a wait, and at once when too many requests wait already.
   *
   * @returns a function that gives it back, to be called once
   */
  async acquire(name: string): Promise<(() => void) | undefined> {
    const caller = this.callers.get(name) ?? { name, running: 0, waiting: new Set() }
    if (this.canStart(caller)) return this.start(caller)
    if (this.waiting >= MAX_WAITING || caller.waiting.size >= MAX_WAITING / 2) return undefined
    this.callers.set(name, caller)
    this.waiting++
    return new Promise(resolve => {
      const end = (release?: () => void) => {
        clearTimeout(timeout)
        caller.waiting.delete(begin)
        this.waiting--
        this.forgetIdle(caller)
        resolve(release)
      }
      const begin = () => end(this.start(caller))
      const timeout = setTimeout(end, this.maxWaitMs)
      caller.waiting.add(begin)
    })
  }

  private canStart({ running }: Caller): boolean {
    return this.running < this.connections && running < this.maxPerCaller
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
      if (begin && this.canStart(next)) return void begin()
    }
  }

  private forgetIdle({ name, running, waiting }: Caller): void {
    if (running === 0 && waiting.size === 0) this.callers.delete(name)
  }
}
