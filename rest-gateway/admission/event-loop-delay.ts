/** The mean delay of the event loop over the last half second. */
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks'

const RESOLUTION_MS = 20
const WINDOW_MS = 500

export class EventLoopDelay {
  ms = 0
  private readonly histogram: IntervalHistogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })

  constructor() {
    this.histogram.enable()
    setInterval(() => this.update(), WINDOW_MS).unref()
  }

  private update(): void {
    // After a long pause both timers are due at once, and the histogram may be empty.
    if (this.histogram.count === 0) return
    this.ms = this.histogram.mean / 1e6 - RESOLUTION_MS
    this.histogram.reset()
  }
}
