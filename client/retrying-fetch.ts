/** Repeats requests that the service or the network could not serve. */
import { setTimeout as sleep } from 'node:timers/promises'

export interface RetryOptions {
  /** The most repetitions of a request; 8 by default, with pauses of up to a minute. */
  retries?: number | undefined
  /** Ends requests and pauses. */
  signal?: AbortSignal | undefined
  /** Called before a pause. */
  onRetry?: ((reason: string, seconds: number) => void) | undefined
}

const DEFAULT_RETRIES = 8

const MAX_PAUSE_SECONDS = 60

/** The time until the head of a response. */
const TIMEOUT_MS = 60_000

/** The same before the first response. */
const FIRST_TIMEOUT_MS = 10_000

/** Statuses of a service that can serve the same request later. */
const TEMPORARY = [429, 502, 503, 504]

/** Returns a `fetch` for requests without a body. It repeats none before a first answer: the address may be wrong. */
export function retryingFetch({ retries = DEFAULT_RETRIES, signal, onRetry }: RetryOptions) {
  let hasAnswered = false
  return async (request: Request): Promise<Response> => {
    for (let attempt = 0; ; attempt++) {
      let reason: string
      let retryAfter: string | null = null
      try {
        const response = await fetchHead(request.clone(), signal, hasAnswered ? TIMEOUT_MS : FIRST_TIMEOUT_MS)
        hasAnswered = true
        if (!TEMPORARY.includes(response.status) || attempt === retries) return response
        reason = `status ${response.status}`
        retryAfter = response.headers.get('Retry-After')
        await response.body?.cancel()
      } catch (error) {
        if (signal?.aborted || attempt === retries || !hasAnswered) throw error
        const { cause, message } = error as { cause?: NodeJS.ErrnoException; message: string }
        reason = cause?.message || cause?.code || message
      }
      const seconds = pauseOf(retryAfter, attempt)
      onRetry?.(reason, seconds)
      await sleep(seconds * 1000, undefined, signal ? { signal } : {})
    }
  }
}

/** Fetches, with a timeout until the head has arrived: a stream may take as long as it makes progress. */
async function fetchHead(request: Request, signal: AbortSignal | undefined, timeoutMs: number): Promise<Response> {
  const controller = new AbortController()
  const late = new TypeError('fetch failed', { cause: new Error('no response in time') })
  const timer = setTimeout(() => controller.abort(late), timeoutMs)
  const signals = [controller.signal, request.signal, ...(signal ? [signal] : [])]
  try {
    return await fetch(request, { signal: AbortSignal.any(signals) })
  } finally {
    clearTimeout(timer)
  }
}

/** @param retryAfter seconds, or an HTTP date */
function pauseOf(retryAfter: string | null, attempt: number): number {
  const wanted = /^\d+$/.test(retryAfter ?? '')
    ? Number(retryAfter)
    : retryAfter !== null && !Number.isNaN(Date.parse(retryAfter))
      ? (Date.parse(retryAfter) - Date.now()) / 1000
      : 2 ** attempt / 2
  return Math.min(MAX_PAUSE_SECONDS, Math.max(0, wanted))
}
