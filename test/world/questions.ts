/** Requests whose responses follow from the state: each route with grains, filters and ranges. */
import { type Answers, type Filter, type GroupBy, NO_GRAIN } from './answers'
import { type Bucket, dateOf, GRAINS } from './calendar'
import { rangeQuery } from './history'
import type { Random } from './random'
import type { Asset } from './state'

export interface Question {
  path: string
  /** Returns the body, or NO_GRAIN where the error is expected. */
  answer: (answers: Answers) => unknown
  /** Whether it takes `as_of`. */
  hasAsOf?: boolean
}

const COARSE: Bucket[] = ['day', 'week', 'month', 'quarter']
const GROUPS: Exclude<GroupBy, 'asset'>[] = ['country', 'region', 'city', 'format', 'media_type']

/** Returns all routes of an asset on a range, and on a few days. */
export function questionsOf(asset: string, [first, last]: [number, number], [from, to]: [number, number]): Question[] {
  const long = rangeQuery(first, last)
  const short = rangeQuery(from, to)
  const question = (path: string, answer: Question['answer'], hasAsOf = false): Question => ({
    path: `/v1/partner/assets/${asset}/${path}`,
    answer,
    hasAsOf,
  })
  const impressions = (path: string, ...more: [Question['answer'], boolean?]) =>
    question(`impressions/${path}`, ...more)
  return [
    impressions(`summary?${long}`, a => a.summary(asset, first, last), true),
    impressions(`daily?${long}`, a => a.daily(asset, first, last), true),
    ...COARSE.map(grain =>
      impressions(`timeseries?grain=${grain}&${long}`, a => a.series(asset, first, last, grain), true),
    ),
    ...GRAINS.filter(grain => grain !== 'day').map(grain =>
      impressions(`timeseries?grain=${grain}&${short}`, a => a.series(asset, from, to, grain)),
    ),
    impressions(`hourly?${short}`, a => a.series(asset, from, to, 'hour')),
    impressions(`profile?${long}`, a => a.profile(asset, first, last)),
    impressions(`profile?seconds=10&${long}`, a => a.profile(asset, first, last, 10)),
    ...(['region', 'city'] as const).map(by => impressions(`by-${by}?${long}`, a => a.homes(asset, first, last, by))),
    question(`demographics?${long}`, a => {
      const { asset_count: _, ...body } = a.demographics([asset], first, last)
      return { asset_id: asset, ...body }
    }),
    {
      path: `/v1/metrics/assets/${asset}?start=${dateOf(first)}&end=${dateOf(last)}`,
      answer: a => {
        const { data, total, average } = a.daily(asset, first, last)
        return { total, average, data: data.map(({ date, impressions }) => ({ date, impressions })) }
      },
    },
    { path: `/v1/metrics/assets/${asset}/per-minute?date=${dateOf(from)}`, answer: a => a.legacyDay(asset, from) },
  ]
}

/** Returns all routes of many assets on a range, with a filter. */
export function questionsOfNetwork(
  filter: Filter,
  [first, last]: [number, number],
  [from, to]: [number, number],
): Question[] {
  const query = Object.entries(filter).map(([name, values]) => `&${name}=${encodeURIComponent(values.join(','))}`)
  const [long, short] = [rangeQuery(first, last) + query.join(''), rangeQuery(from, to) + query.join('')]
  const pages = (grain: Bucket, [one, other]: [number, number], range: string): Question => ({
    path: `/v1/partner/impressions?grain=${grain}&limit=${grain === 'minute' ? 10 : 50}&${range}`,
    answer: a => entries(a, filter, ({ id }) => a.series(id, one, other, grain)),
    hasAsOf: COARSE.includes(grain),
  })
  return [
    ...COARSE.map(grain => pages(grain, [first, last], long)),
    ...(['quarter_hour', 'hour'] as const).map(grain => pages(grain, [from, to], short)),
    pages('minute', [from, from], rangeQuery(from, from) + query.join('')),
    {
      path: `/v1/partner/impressions/profiles?${long}&limit=200`,
      answer: a => entries(a, filter, ({ id }) => a.profile(id, first, last)),
    },
    ...COARSE.flatMap(grain =>
      [undefined, ...GROUPS].map(group => ({
        path: `/v1/partner/impressions/aggregate?grain=${grain}&${long}${group ? `&group_by=${group}` : ''}`,
        answer: (a: Answers) => a.aggregate(a.matching(filter), first, last, grain, group),
        hasAsOf: true,
      })),
    ),
    {
      path: `/v1/partner/impressions/aggregate?group_by=asset&${long}`,
      answer: a => a.byAsset(a.matching(filter), first, last),
      hasAsOf: true,
    },
    // This route has fewer filters, and takes one region.
    ...(filter.format || filter.region
      ? []
      : [
          {
            path: `/v1/partner/demographics/aggregate?${long}`,
            answer: (a: Answers) =>
              a.demographics(
                a.matching(filter).map(({ id }) => id),
                first,
                last,
              ),
          },
        ]),
  ]
}

function entries(
  answers: Answers,
  filter: Filter,
  read: (asset: Asset) => ReturnType<Answers['series']> | ReturnType<Answers['profile']>,
) {
  return answers.matching(filter).map(asset => {
    const found = read(asset)
    return found === NO_GRAIN ? { asset_id: asset.id, error: NO_GRAIN } : { asset_id: asset.id, ...found }
  })
}

/** Returns a filter that some assets match. */
export function filterOf(random: Random, assets: readonly Asset[]): Filter {
  const one = random.pick(assets)
  return random.pick<() => Filter>([
    () => ({}),
    () => ({}),
    () => ({ country: [one.country] }),
    () => ({ region: [one.region, 'FR-75'] }),
    () => ({ city: [one.city] }),
    () => ({ format: [one.format] }),
    () => ({ asset_ids: random.sample(assets, 3).map(({ id }) => id) }),
  ])()
}
