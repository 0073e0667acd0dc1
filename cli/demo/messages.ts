/** How a loaded demo is told to a person: what there is, the keys, and a request to try at once. */
import { COMPANIES, FACES } from '../../db/seeds/demo/assets'
import type { LoadedDemo } from '../../db/seeds/demo/load'
import { windowOf } from '../../db/seeds/demo/sensors'

/** What there is now and which keys, in lines for a terminal. */
export function tellDemo({ loaded, companies, assets, sensors, days, keys }: LoadedDemo): string[] {
  const figures = `${companies} companies, ${assets} assets, ${sensors} sensors, ${days} days`
  if (!loaded) {
    return [
      `the demo was loaded before (${figures}): nothing was changed`,
      `its keys were printed when they were issued; for another one: partner-metrics keys issue --company "${COMPANIES.nordlicht.name}"`,
    ]
  }
  const width = Math.max(...keys.map(({ label }) => label.length))
  return [
    `the demo is loaded: ${figures}`,
    'its keys, printed this once:',
    ...keys.map(({ label, key }) => `  ${label.padEnd(width)}  ${key}`),
  ]
}

/**
 * A request that works, as a line for a shell: the last seven days of an asset, with its company's key.
 *
 * @param base where the service listens, `http://HOST:PORT`
 * @param now seconds since 1970
 */
export function tellExample({ keys }: LoadedDemo, base: string, now = Date.now() / 1000): string[] {
  const [face] = FACES
  const partner = keys.find(({ kind }) => kind === 'partner')
  if (!face || !partner) return []
  const [from, to] = windowOf(face.city.zone, now, 7)
  // A service that listens on all addresses is reached on this machine's own.
  const origin = base.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')
  const url = `${origin}/v1/partner/assets/${face.id}/impressions/daily?from_date=${from}&to_date=${to}`
  return ['try it:', `  curl -H 'X-API-Key: ${partner.key}' '${url}'`]
}
