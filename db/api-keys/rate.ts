/** Rate limits as text, e.g. `6000/min`. */

export interface Rate {
  requests: number
  seconds: number
}

/** The lengths of windows in seconds, by their units. */
export const WINDOWS: Record<string, number> = { s: 1, min: 60, h: 3600, d: 86_400 }

const MAX_REQUESTS = 1_000_000_000

/** A description of the format, for error messages. */
export const RATE_FORM = `REQUESTS/WINDOW with a window of ${Object.keys(WINDOWS).join(', ')}, e.g. 6000/min`

/** Returns the rate; undefined when the text is not one. */
export function parseRate(text: string): Rate | undefined {
  const [, requests, window = ''] = /^(\d{1,10})\/(\w+)$/.exec(text) ?? []
  const seconds = Object.hasOwn(WINDOWS, window) ? WINDOWS[window] : undefined
  if (seconds === undefined || Number(requests) < 1 || Number(requests) > MAX_REQUESTS) return undefined
  return { requests: Number(requests), seconds }
}

export function formatRate({ requests, seconds }: Rate): string {
  const [window] = Object.entries(WINDOWS).find(([, length]) => length === seconds) ?? [`${seconds}s`]
  return `${requests}/${window}`
}
