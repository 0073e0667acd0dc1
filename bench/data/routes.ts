/** The measured routes: each with requests that are spread over the assets and dates of the data, by a seed. */
import { dateOf, dayNumber } from '../../db/calendar/local-days'
import { chances } from '../../db/seeds/demo/random'
import { Cursors } from '../../rest-gateway/read/cursors'
import { get, post } from '../load/load'
import type { BenchData } from './fill'
import { type Asset, ENVIRONMENT, LAST_DAY } from './population'

export interface BenchRoute {
  name: string
  /** Different requests, as sent on the wire. */
  requests: string[]
  /** Whether each is answered by 304. Its If-None-Match is added when the target's entity tag is known. */
  conditional?: boolean
}

/** The lists that cursors are bound to. */
export const ASSETS_LIST = JSON.stringify(['ListAssets', []])
export const SENSORS_LIST = JSON.stringify(['ListSensors', []])

/** The number of different requests of a route. */
const REQUESTS = 200

/** The number of different conditional requests: each takes another request for its tag. */
const CONDITIONAL_REQUESTS = 40

/** The number of different assets in the requests. */
const REQUESTED_ASSETS = 1_000

/** The number of assets in an aggregate. */
export const GROUP_SIZE = 60

export function listRoutes(data: BenchData, group = GROUP_SIZE): BenchRoute[] {
  const { key } = data
  const long = data.assets.filter(({ days }) => days > data.size.days)
  const some = data.assets.slice(0, REQUESTED_ASSETS)
  const withMinutes = (minutes: number) =>
    some.filter(({ sensors }) => sensors.every(sensor => sensor.minutes <= minutes))

  const route = (name: string, path: (chance: () => number) => string): BenchRoute => {
    const chance = chances('bench', 'requests', name)
    return { name, requests: Array.from({ length: REQUESTS }, () => get(path(chance), key)) }
  }
  const ofAsset = (name: string, days: number, path: string, from = some) =>
    route(name, chance => {
      const asset = pick(chance, from)
      return `/v1/partner/assets/${asset.id}/${path}${path.includes('?') ? '&' : '?'}${rangeOf(chance, asset, days)}`
    })
  const cursors = new Cursors(data.cursorSecret, ENVIRONMENT)
  const page = (path: string, list: string, ids: string[], limit: number) =>
    route(`${path}, page of ${limit}`, chance => {
      const candidates = Math.max(0, ids.length - limit)
      const after = candidates > 0 ? ids[Math.floor(chance() * candidates)] : undefined
      return `/v1/partner/${path}?limit=${limit}${after ? `&cursor=${cursors.issue(list, after)}` : ''}`
    })
  const assetIds = data.assets.map(({ id }) => id)
  const sensorIds = data.assets.flatMap(({ sensors }) => sensors.map(({ id }) => id)).sort()
  const series = (grain: string, days: number, from: Asset[]) =>
    ofAsset(`${grain} ${days} days`, days, `impressions/timeseries?grain=${grain}`, from)

  const asset = route('one asset', chance => `/v1/partner/assets/${pick(chance, some).id}`)
  const daily = ofAsset('daily 30', 30, 'impressions/daily')
  return [
    route('meta', () => '/v1/partner/meta'),
    asset,
    page('assets', ASSETS_LIST, assetIds, 50),
    page('assets', ASSETS_LIST, assetIds, 500),
    page('sensors', SENSORS_LIST, sensorIds, 50),
    ofAsset('summary of 30 days', 30, 'impressions/summary'),
    ...(long.length > 0 ? [ofAsset('summary of 365 days', 365, 'impressions/summary', long)] : []),
    daily,
    ...(long.length > 0 ? [ofAsset('daily 365', 365, 'impressions/daily', long)] : []),
    ofAsset('hourly 30 days', 30, 'impressions/hourly'),
    series('quarter_hour', 7, withMinutes(15)),
    series('minute', 1, withMinutes(1)),
    series('minute', 7, withMinutes(1)),
    ...(long.length > 0 ? [series('month', 1826, long), series('quarter', 1826, long)] : []),
    ofAsset('by-region', 30, 'impressions/by-region'),
    ofAsset('demographics', 30, 'demographics'),
    route(`aggregate of ${group}`, chance => {
      const ids = Array.from({ length: group }, (_, i) => some[(Math.floor(chance() * 3) + i * 7) % some.length]!.id)
      return `/v1/partner/demographics/aggregate?asset_ids=${[...new Set(ids)].join()}&${rangeOf(chance, some[0]!, 30)}`
    }),
    route('legacy per-minute', chance => {
      const asset = pick(chance, withMinutes(1))
      return `/v1/metrics/assets/${asset.legacyId}/per-minute?date=${rangeOf(chance, asset, 1).slice(-10)}`
    }),
    { ...asset, name: 'one asset, 304', requests: asset.requests.slice(0, CONDITIONAL_REQUESTS), conditional: true },
    { ...daily, name: 'daily 30, 304', requests: daily.requests.slice(0, CONDITIONAL_REQUESTS), conditional: true },
    { name: 'GraphQL, 50 assets', requests: graphql(key) },
  ]
}

const NESTED = `query Nested($from: Date!, $to: Date!) {
  assets(limit: 50) { nodes {
    id name city
    sensors { id serial model health { status checkedAt } }
    impressions(fromDate: $from, toDate: $to) { daily { total average rows { date impressions coverage } } }
  } hasMore }
}`

function graphql(key: string): string[] {
  const chance = chances('bench', 'requests', 'graphql')
  return Array.from({ length: REQUESTS / 4 }, () => {
    const to = dayNumber(LAST_DAY) - Math.floor(chance() * 60)
    return post('/graphql', key, JSON.stringify({ query: NESTED, variables: { from: dateOf(to - 6), to: dateOf(to) } }))
  })
}

const pick = <Item>(chance: () => number, items: readonly Item[]): Item =>
  items[Math.floor(chance() * items.length)] as Item

/** A random range of `length` days within the asset's data. */
function rangeOf(chance: () => number, { days }: Asset, length: number): string {
  const to = dayNumber(LAST_DAY) - Math.floor(chance() * (days - length + 1))
  return `from_date=${dateOf(to - length + 1)}&to_date=${dateOf(to)}`
}
