/**
 * Spaces the attempts to connect to a server that refuses them. A refused login costs PostgreSQL more than many requests do,
 * because it starts a process for each.
 */

const PAUSE_MS = 100

export class LoginPause {
  private error: unknown
  private nextAt = 0

  /** Begins an attempt. @throws the error of the last one, which has failed, unless it is time for another */
  begin(): void {
    if (this.error === undefined) return
    const now = performance.now()
    if (now < this.nextAt) throw this.error
    this.nextAt = now + PAUSE_MS
  }

  succeeded(): void {
    this.error = undefined
  }

  failed(error: unknown): void {
    this.error = error
    this.nextAt = performance.now() + PAUSE_MS
  }
}
