/**
 * Decides which callers are refused while the event loop is late, by its mean delay in each of the last two half seconds: at
 * half of the limit those without a recently accepted key, except for pages; at the limit the most expensive ones as well.
 * One long pause, as when the first page is rendered, is over when it is noticed: it refuses nobody. Everything but the
 * decision is done twice a second.
 */
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks'
import type { Callers } from './callers'

const RESOLUTION_MS = 20
const WINDOW_MS = 500

export class LoadShedding {
  /** The mean delay of the last half second. */
  private lastMs = 0
  /** The smaller one of the last two. */
  private delayMs = 0
  private costliest: ReadonlySet<string> = new Set()

  constructor(
    private readonly maxDelayMs: number,
    private readonly callers: Pick<Callers, 'findCostliest'>,
    private readonly histogram: Pick<IntervalHistogram, 'count' | 'mean' | 'reset'> = monitor(),
  ) {
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
    const meanMs = this.histogram.mean / 1e6 - RESOLUTION_MS
    this.histogram.reset()
    this.delayMs = Math.min(this.lastMs, meanMs)
    this.lastMs = meanMs
    this.costliest = this.delayMs > this.maxDelayMs ? this.callers.findCostliest() : new Set()
  }
}

function monitor(): IntervalHistogram {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  histogram.enable()
  return histogram
}
