/** Measures the stages of a request, which Server-Timing and the metrics show by the same names. */

/** In order. A request that fails ends in the stage that it has reached. */
type Stage = 'read' | 'execute' | 'shape' | 'send'

export class Stages {
  /** Milliseconds of each stage that was reached. */
  readonly ms: Partial<Record<Stage, number>> = {}
  /** When each of them began, as `performance.now()` counts. */
  readonly begun: Partial<Record<Stage, number>> = {}
  private current: Stage | undefined

  /** Begins a stage, which ends the one before. */
  begin(stage: Stage): void {
    const now = performance.now()
    this.end(now)
    this.current = stage
    this.begun[stage] = now
  }

  /** Ends the last stage. */
  end(now = performance.now()): void {
    if (this.current) this.ms[this.current] = now - this.begun[this.current]!
    this.current = undefined
  }
}
