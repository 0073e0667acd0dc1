/**
 * Decides which callers are refused while the event loop is late, by its mean delay over the last half second: at half of the
 * limit those without a recently accepted key, except for pages; at the limit the most expensive ones as well. Everything but
 * the decision is done twice a second.
 */
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks'
import type { Callers } from './callers'

const RESOLUTION_MS = 20
const WINDOW_MS = 500

export class LoadShedding {
  private delayMs = 0
  private costliest: ReadonlySet<string> = new Set()
  private readonly histogram: IntervalHistogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })

  constructor(
    private readonly maxDelayMs: number,
    private readonly callers: Pick<Callers, 'findCostliest'>,
  ) {
    this.histogram.enable()
    setInterval(() => this.update(), WINDOW_MS).unref()
  }

  /**
   * @param key of the caller, if it was accepted recently
   * @param isPage whether what is requested needs no key
   */
  sheds(key: string | undefined, isPage: boolean): boolean {
    if (this.delayMs <= this.maxDelayMs / (isPage ? 1 : 2)) return false
    return key === undefined || this.costliest.has(key)
  }

  private update(): void {
    // After a long pause both timers are due at once, and the histogram may be empty.
    if (this.histogram.count === 0) return
    this.delayMs = this.histogram.mean / 1e6 - RESOLUTION_MS
    this.histogram.reset()
    this.costliest = this.delayMs > this.maxDelayMs ? this.callers.findCostliest() : new Set()
  }
}
