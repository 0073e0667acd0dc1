/** Bounds the memory of results in progress: their values, of all queries that run at once. Others wait in order. */
import { getHeapStatistics } from 'node:v8'
import { COST_LIMITS } from '../../resolvers/limits/cost'
import { ApiError } from '../../schema/errors'

/** A value, with its share of the row that it is in, of the rows that were read, and of the text of the response. */
const BYTES_PER_VALUE = 640

/** At least one query of any size runs. */
const MAX_VALUES = Math.max(COST_LIMITS.values, Math.floor(getHeapStatistics().heap_size_limit / BYTES_PER_VALUE))

const MAX_WAIT_MS = 10_000

export class ValueBudget {
  private used = 0
  private readonly waiting = new Set<{ values: number; start(): void }>()

  constructor(
    private readonly max = MAX_VALUES,
    private readonly maxWaitMs = MAX_WAIT_MS,
  ) {}

  /**
   * Waits until there is room for a result.
   *
   * @param values at most those that one query may have
   * @returns frees the room again; call it once
   * @throws ApiError UNAVAILABLE after too long a wait
   */
  async acquire(values: number): Promise<() => void> {
    if (this.waiting.size > 0 || this.used + values > this.max) await this.wait(values)
    else this.used += values
    return () => this.release(values)
  }

  private wait(values: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiter = {
        values,
        start: () => {
          clearTimeout(timeout)
          resolve()
        },
      }
      const timeout = setTimeout(() => {
        this.waiting.delete(waiter)
        this.startWaiting()
        reject(new ApiError('UNAVAILABLE'))
      }, this.maxWaitMs)
      this.waiting.add(waiter)
    })
  }

  private release(values: number): void {
    this.used -= values
    this.startWaiting()
  }

  private startWaiting(): void {
    for (const waiter of this.waiting) {
      if (this.used + waiter.values > this.max) return
      this.waiting.delete(waiter)
      this.used += waiter.values
      waiter.start()
    }
  }
}

/** The room of one request, which it takes once its cost is known. */
export class ValueLease {
  /** Set when there was no room for too long. */
  refusal: unknown
  private release: (() => void) | undefined

  constructor(private readonly budget: ValueBudget) {}

  async take(values: number): Promise<void> {
    try {
      this.release = await this.budget.acquire(values)
    } catch (refusal) {
      this.refusal = refusal
      throw refusal
    }
  }

  end(): void {
    this.release?.()
    this.release = undefined
  }
}
