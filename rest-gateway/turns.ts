/**
 * Whose turn it is: so many requests are worked on at once, and when one is done it is the next caller's turn, whoever
 * that is. A caller with a hundred requests waits for his own; who has one is served between them.
 */
import { ApiError } from '../schema/errors'

/** By how much the event loop may lag, in milliseconds, without less being taken on. */
const COMFORTABLE_MS = 20

type Come = () => void

export class Turns {
  private working = 0
  private atOnce: number
  /** The callers in the order of their turns, and what each waits with. */
  private readonly callers = new Map<string, Come[]>()

  /**
   * @param most how many are worked on at once when the event loop keeps pace: no more than can have a connection
   * @param patienceMs how long a request may wait
   */
  constructor(
    private readonly most: number,
    private readonly patienceMs: number,
  ) {
    this.atOnce = most
  }

  /** How many requests wait. */
  get waiting(): number {
    let sum = 0
    for (const own of this.callers.values()) sum += own.length
    return sum
  }

  /** Takes on less at once while the event loop lags, so that each step of a small request waits for few large ones. */
  adapt(delayMs: number): void {
    // Two at least: the database works for one while we work for the other.
    const fewer = Math.max(2, Math.floor(this.atOnce / 2))
    this.atOnce = Math.min(this.most, delayMs > COMFORTABLE_MS ? fewer : this.atOnce + 1)
  }

  /** Waits for a turn, which ends by `end`. @throws ApiError UNAVAILABLE when it does not come in time */
  take(caller: string): Promise<void> {
    if (this.working < this.atOnce) {
      this.working++
      return Promise.resolve()
    }
    return new Promise((resolve, reject) => {
      const own = this.callers.get(caller) ?? []
      this.callers.set(caller, own)
      const patience = setTimeout(() => {
        own.splice(own.indexOf(come), 1)
        if (own.length === 0) this.callers.delete(caller)
        reject(new ApiError('UNAVAILABLE'))
      }, this.patienceMs)
      const come = () => {
        clearTimeout(patience)
        resolve()
      }
      own.push(come)
    })
  }

  end(): void {
    this.working--
    while (this.working < this.atOnce && this.callers.size > 0) this.next()
  }

  private next(): void {
    const [first] = this.callers
    if (!first) return
    const [caller, own] = first
    // Behind all others.
    this.callers.delete(caller)
    const come = own.shift() as Come
    if (own.length > 0) this.callers.set(caller, own)
    this.working++
    come()
  }
}
