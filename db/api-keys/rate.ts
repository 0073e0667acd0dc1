/** How often a key may ask, as the operator writes it: `6000/min`. */

/** So many requests in a window of so many seconds. */
export interface Rate {
  requests: number
  seconds: number
}

/** How long a window may be, by the names of its length. */
const WINDOWS: Record<string, number> = { s: 1, min: 60, h: 3600, d: 86_400 }

const MOST_REQUESTS = 1_000_000_000

/** What is taken for a rate. */
export const RATE_FORM = `REQUESTS/WINDOW with a window of ${Object.keys(WINDOWS).join(', ')}, e.g. 6000/min`

/** Undefined where the text is none. */
export function parseRate(text: string): Rate | undefined {
  const [, requests, window = ''] = /^(\d{1,10})\/(\w+)$/.exec(text) ?? []
  const seconds = Object.hasOwn(WINDOWS, window) ? WINDOWS[window] : undefined
  if (seconds === undefined || Number(requests) < 1 || Number(requests) > MOST_REQUESTS) return undefined
  return { requests: Number(requests), seconds }
}

/** The text of a rate. */
export function formatRate({ requests, seconds }: Rate): string {
  const [window] = Object.entries(WINDOWS).find(([, length]) => length === seconds) ?? [`${seconds}s`]
  return `${requests}/${window}`
}
