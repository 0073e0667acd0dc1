/**
 * Where those wait who were asked to come again later and come at once: a crowd of them would otherwise spend on refusals
 * what the service has for everybody else. Who keeps to Retry-After never gets here.
 */
import { LRUCache } from 'lru-cache'
import { RETRY_AFTER_SECONDS } from '../middleware/error-handler'

/** Of so many callers it is known that they were refused. */
const MOST_CALLERS = 10_000

/** The longest wait, as often as they were asked to wait. */
const LONGEST = 8

export class Tarpit {
  private readonly refused = new LRUCache<string, true>({ max: MOST_CALLERS, ttl: RETRY_AFTER_SECONDS * 1000 })
  /** What lets those go who wait, the longest first. */
  private readonly held = new Set<(isWanted: boolean) => void>()

  /**
   * Comes to an end when a caller may be refused: at once, unless it has been a moment ago.
   *
   * @returns whether the connection is wanted for others
   */
  async hold(caller: string): Promise<boolean> {
    const again = this.refused.has(caller)
    this.refused.set(caller, true)
    if (!again) return false
    // Those who came all at once had better not come back all at once.
    const ms = RETRY_AFTER_SECONDS * 1000 * (1 + (LONGEST - 1) * Math.random())
    return new Promise(resolve => {
      const letGo = (isWanted: boolean) => {
        clearTimeout(timer)
        this.held.delete(letGo)
        resolve(isWanted)
      }
      const timer = setTimeout(letGo, ms, false)
      this.held.add(letGo)
    })
  }

  /** Lets the one go who has waited longest: others want the connection. */
  makeRoom(): void {
    const [first] = this.held
    first?.(true)
  }
}
