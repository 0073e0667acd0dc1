/**
 * Divides long work into turns of the event loop. Reading ends for many parents or fields at once, and each continues with
 * a computation or a list to complete: one after the other, between which other requests are served. After
 * `scheduler.yield()` all of them would run in one turn.
 */

/** Work continues in the same turn for this long. A short request waits for two or three turns. */
const TURN_MS = 3

const waiting: (() => void)[] = []

/** Waits for its turn, in the order of the calls. */
export function nextTurn(): Promise<void> {
  return new Promise(resolve => {
    if (waiting.push(resolve) === 1) setImmediate(beginTurn)
  })
}

function beginTurn(): void {
  resume(performance.now() + TURN_MS)
}

function resume(end: number): void {
  waiting.shift()?.()
  if (waiting.length === 0) return
  // A tick that a microtask requests comes after all other microtasks: after what was resumed has run.
  queueMicrotask(() =>
    process.nextTick(() => {
      if (performance.now() < end) resume(end)
      else setImmediate(beginTurn)
    }),
  )
}

/** A long computation in turns. Each of its steps is short, and it ends its turn between two of them. */
export class Turns {
  private end = performance.now() + TURN_MS

  /** Whether the turn has lasted long enough. Nothing is awaited before, so that short computations stay undivided. */
  get isOver(): boolean {
    return performance.now() >= this.end
  }

  async next(): Promise<void> {
    await nextTurn()
    this.end = performance.now() + TURN_MS
  }
}
