/** The measured routes: each with requests that are spread over all assets and dates of the data, in each run by another seed. */
import { dateOf, dayNumber } from '../../db/calendar/local-days'
import { chances } from '../../imports/demo/network'
import { Cursors } from '../../rest-gateway/read/cursors'
import { get } from '../load/load'
import { type Asset, type BenchData, ENVIRONMENT, LAST_DAY, LONG_DAYS } from './fill'

export interface BenchRoute {
  name: string
  /** Different requests, as sent on the wire. */
  requests: string[]
}

/** The list that cursors are bound to. */
export const ASSETS_LIST = JSON.stringify(['ListAssets', []])

/** The number of requests of a route: more than are sent in a round. */
const REQUESTS = 10_000

const SEED = String(Date.now())

const PAGE = 50

export function listRoutes({ keys, assets, cursorSecret }: BenchData): BenchRoute[] {
  const long = assets.filter(({ days }) => days === LONG_DAYS)
  const route = (name: string, path: (chance: () => number) => string): BenchRoute => {
    const chance = chances('bench', SEED, name)
    return { name, requests: Array.from({ length: REQUESTS }, () => get(path(chance), keys.large)) }
  }
  const ofAsset = (name: string, days: number, path: string, from = assets) =>
    route(name, chance => {
      const asset = pick(chance, from)
      return `/v1/partner/assets/${asset.id}/${path}${path.includes('?') ? '&' : '?'}${rangeOf(chance, asset, days)}`
    })
  const cursors = new Cursors(cursorSecret, ENVIRONMENT)
  const page = route(`assets, page of ${PAGE}`, chance => {
    const after = assets.slice(0, -PAGE)[Math.floor(chance() * (assets.length - PAGE))]
    return `/v1/partner/assets?limit=${PAGE}${after ? `&cursor=${cursors.issue(ASSETS_LIST, after.id)}` : ''}`
  })
  const minutes = assets.filter(asset => asset.minutes === 1)
  return [
    route('meta', () => '/v1/partner/meta'),
    route('one asset', chance => `/v1/partner/assets/${pick(chance, assets).id}`),
    page,
    ofAsset('daily 30', 30, 'impressions/daily'),
    ofAsset('daily 365', 365, 'impressions/daily', long),
    ofAsset('hourly 30 days', 30, 'impressions/timeseries?grain=hour'),
    ofAsset('minutes of a day', 1, 'impressions/timeseries?grain=minute', minutes),
    ofAsset('by-region', 30, 'impressions/by-region'),
    ofAsset('demographics', 30, 'demographics'),
  ]
}

const pick = <Item>(chance: () => number, items: readonly Item[]): Item =>
  items[Math.floor(chance() * items.length)] as Item

/** A random range of `length` days within the asset's data. */
function rangeOf(chance: () => number, { days }: Asset, length: number): string {
  const to = dayNumber(LAST_DAY) - Math.floor(chance() * (days - length + 1))
  return `from_date=${dateOf(to - length + 1)}&to_date=${dateOf(to)}`
}
