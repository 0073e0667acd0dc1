/** The routes of the peers that are written by hand: which statement, with which values, and what is made of its rows. */
import { isDate } from '../../db/calendar/local-days'
import { average } from '../../resolvers/ratios'
import type { Cursors } from '../../rest-gateway/routes/cursors'
import { ASSETS_LIST, SENSORS_LIST } from '../data/routes'
import * as answers from './answers'
import { bucketsOf, type Grain, type MeasurementRow } from './buckets'
import { type Scope, STATEMENTS } from './statements'

export interface Asked {
  /** The part of the path that names an asset. */
  id: string
  query: Record<string, string | undefined>
}

/** What a caller got wrong. */
export class Wrong extends Error {}

export interface Operation {
  name: string
  /** With `:id`. */
  path: string
  /** By what was asked for, which statement. */
  statement(asked: Asked): { name: string; text(scope: Scope): string }
  /** From $2 on. */
  values(asked: Asked, cursors: Cursors): unknown[]
  /** Undefined for what is not there. */
  answer(rows: never[], asked: Asked, cursors: Cursors): object | undefined
}

const dateOf = ({ query }: Asked, name: string): string => {
  const date = query[name]
  if (date === undefined || !isDate(date)) throw new Wrong(name)
  return date
}

export const rangeOf = (asked: Asked): answers.Range => {
  const range = { from: dateOf(asked, 'from_date'), to: dateOf(asked, 'to_date') }
  if (range.from > range.to) throw new Wrong('from_date')
  return range
}

export const limitOf = ({ query }: Asked): number => {
  const limit = Number(query.limit ?? 50)
  if (!(Number.isInteger(limit) && limit >= 1 && limit <= 500)) throw new Wrong('limit')
  return limit
}

export const GRAINS: Record<string, Grain> = {
  minute: 1,
  quarter_hour: 15,
  hour: 60,
  day: 'day',
  month: 'month',
  quarter: 'quarter',
}

export const grainOf = ({ query }: Asked): Grain => {
  const grain = GRAINS[query.grain ?? '']
  if (!grain) throw new Wrong('grain')
  return grain
}

const always = (name: keyof typeof STATEMENTS) => () => ({ name, text: STATEMENTS[name] })

const ofRange = (asked: Asked): unknown[] => {
  const { from, to } = rangeOf(asked)
  return [asked.id, from, to]
}

const page = (name: 'assets' | 'sensors', list: string, row: (row: never) => { id: string }): Operation => ({
  name,
  path: `/v1/partner/${name}`,
  statement: always(name),
  values: (asked, cursors) => [
    asked.query.cursor === undefined ? '' : cursors.open(list, asked.query.cursor),
    limitOf(asked) + 1,
  ],
  answer: (rows, asked, cursors) => answers.pageOf((rows as never[]).map(row), limitOf(asked), cursors, list),
})

const ofAsset = (
  name: string,
  path: string,
  statement: Operation['statement'],
  answer: (rows: MeasurementRow[], asked: Asked) => object,
): Operation => ({
  name,
  path: `/v1/partner/assets/:id/${path}`,
  statement,
  values: ofRange,
  answer: (rows, asked) => (rows.length === 0 ? undefined : answer(rows, asked)),
})

export const OPERATIONS: Operation[] = [
  {
    name: 'meta',
    path: '/v1/partner/meta',
    statement: always('meta'),
    values: () => [],
    answer: rows => ({ version: 'v1', companies: rows }),
  },
  {
    name: 'asset',
    path: '/v1/partner/assets/:id',
    statement: always('asset'),
    values: ({ id }) => [id],
    answer: rows => rows[0],
  },
  page('assets', ASSETS_LIST, row => row),
  page('sensors', SENSORS_LIST, answers.sensorOf),
  ofAsset('summary', 'impressions/summary', always('totals'), (rows, asked) => answers.summaryOf(rows, rangeOf(asked))),
  ofAsset('daily', 'impressions/daily', always('totals'), (rows, asked) => answers.dailyOf(rows, rangeOf(asked))),
  ofAsset('hourly', 'impressions/hourly', always('hours'), (rows, asked) => answers.seriesOf(rows, rangeOf(asked), 60)),
  ofAsset(
    'timeseries',
    'impressions/timeseries',
    asked => {
      const grain = grainOf(asked)
      return always(grain === 60 ? 'hours' : typeof grain === 'number' ? 'counts' : 'totals')()
    },
    (rows, asked) => answers.seriesOf(rows, rangeOf(asked), grainOf(asked)),
  ),
  ofAsset('by-region', 'impressions/by-region', always('regions'), rows => answers.regionsOf(rows as never[])),
  {
    ...ofAsset('demographics', 'demographics', always('demographics'), (rows, asked) => {
      const [{ cells }] = rows as unknown as [{ cells: number[] }]
      return { asset_id: asked.id, ...answers.demographicsOf(cells, rangeOf(asked)) }
    }),
  },
  {
    name: 'aggregate',
    path: '/v1/partner/demographics/aggregate',
    statement: asked => always(idsOf(asked) ? 'aggregateOf' : 'aggregate')(),
    values: asked => {
      const [{ from, to }, ids] = [rangeOf(asked), idsOf(asked)]
      return ids ? [from, to, ids] : [from, to]
    },
    answer(rows, asked) {
      const [{ known, asset_count, cells }] = rows as unknown as [
        { known: number; asset_count: number; cells: number[] },
      ]
      const ids = idsOf(asked)
      if (ids && known !== new Set(ids).size) return undefined
      return { asset_count, ...answers.demographicsOf(cells, rangeOf(asked)) }
    },
  },
  {
    name: 'per-minute',
    path: '/v1/metrics/assets/:id/per-minute',
    statement: always('legacy'),
    values: asked => [asked.id, dateOf(asked, 'date'), dateOf(asked, 'date')],
    answer(rows: MeasurementRow[], asked) {
      const [asset] = rows
      if (!asset) return undefined
      const date = dateOf(asked, 'date')
      const grain = Math.max(1, ...asset.installations.map(({ minutes }) => minutes)) as Grain
      const { names, sums, observed, total, withData } = bucketsOf(rows, date, date, grain)
      const data = names.map((start, i) => ({
        time: start.slice(11, 16),
        impressions: observed[i] === 0 ? null : sums[i],
      }))
      return { analytics: { total, average: average(total, withData), data }, ...answers.stateOf(asset.state) }
    },
  },
]

const idsOf = ({ query }: Asked): string[] | undefined => query.asset_ids?.split(',')
