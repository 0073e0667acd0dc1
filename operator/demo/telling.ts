/** How a loaded demo is told to a person: what there is, the keys, and a request to try at once. */
import { COMPANIES, FACES } from './faces'
import type { LoadedDemo } from './load'
import { windowOf } from './sensors'

/**
 * Lines for a terminal.
 *
 * @param base where the service listens, `http://HOST:PORT`
 * @param now seconds since 1970
 */
export function tellDemo(demo: LoadedDemo, base: string, now = Date.now() / 1000): string[] {
  const { companies, assets, sensors, days } = demo
  const figures = `${companies} companies, ${assets} assets, ${sensors} sensors, ${days} days`
  if (!demo.loaded) {
    return [
      `The demo is loaded already (${figures}): nothing was changed.`,
      `Its keys were told when they were issued. For another one: partner-metrics keys issue --company "${COMPANIES.nordlicht.name}"`,
    ]
  }
  const width = Math.max(...demo.keys.map(({ label }) => label.length))
  return [
    `The demo is loaded: ${figures}. Its keys, told this once:`,
    '',
    ...demo.keys.map(({ label, key }) => `  ${label.padEnd(width)}  ${key}`),
    '',
    'Try:',
    '',
    `  ${exampleOf(demo, base, now)}`,
  ]
}

/** A request that works: the last seven days of an asset, with its company's key. */
function exampleOf({ keys }: LoadedDemo, base: string, now: number): string {
  const [face] = FACES
  const key = keys.find(({ kind }) => kind === 'partner')?.key
  if (!face || !key) return ''
  const [, to] = windowOf(face.city.zone, now)
  const [from] = windowOf(face.city.zone, now, 7)
  const url = `${base}/v1/partner/assets/${face.id}/impressions/daily?from_date=${from}&to_date=${to}`
  return `curl -H 'X-API-Key: ${key}' '${url}'`
}
