/** The routes of the hand-written peers: each with its statement, its values, and the body made from the rows. */
import { isDate } from '../../db/calendar/local-days'
import { average } from '../../resolvers/series/ratios'
import type { Cursors } from '../../rest-gateway/read/cursors'
import { ASSETS_LIST, SENSORS_LIST } from '../data/routes'
import * as bodies from './bodies'
import { fillBuckets, type Grain, type MeasurementRow } from './buckets'
import { type Scope, STATEMENTS } from './statements'

/** The parameters of a request. */
export interface Input {
  /** The asset's id in the path; empty where the path has none. */
  id: string
  query: Record<string, string | undefined>
}

export class InvalidParameter extends Error {}

export interface Operation {
  name: string
  /** May contain `:id`. */
  path: string
  statement(input: Input): { name: string; text(scope: Scope): string }
  /** The values from $2 on; $1 is the scope. */
  values(input: Input, cursors: Cursors): unknown[]
  /** Undefined if there is no such asset. */
  body(rows: never[], input: Input, cursors: Cursors): object | undefined
}

const dateOf = ({ query }: Input, name: string): string => {
  const date = query[name]
  if (date === undefined || !isDate(date)) throw new InvalidParameter(name)
  return date
}

export const rangeOf = (input: Input): bodies.Range => {
  const range = { from: dateOf(input, 'from_date'), to: dateOf(input, 'to_date') }
  if (range.from > range.to) throw new InvalidParameter('from_date')
  return range
}

const limitOf = ({ query }: Input): number => {
  const limit = Number(query.limit ?? 50)
  if (!(Number.isInteger(limit) && limit >= 1 && limit <= 500)) throw new InvalidParameter('limit')
  return limit
}

const GRAINS: Record<string, Grain> = {
  minute: 1,
  quarter_hour: 15,
  hour: 60,
  day: 'day',
  month: 'month',
  quarter: 'quarter',
}

export const grainOf = ({ query }: Input): Grain => {
  const grain = GRAINS[query.grain ?? '']
  if (!grain) throw new InvalidParameter('grain')
  return grain
}

const fixed = (name: keyof typeof STATEMENTS) => () => ({ name, text: STATEMENTS[name] })

const idAndRange = (input: Input): unknown[] => {
  const { from, to } = rangeOf(input)
  return [input.id, from, to]
}

const page = (name: 'assets' | 'sensors', list: string, row: (row: never) => { id: string }): Operation => ({
  name,
  path: `/v1/partner/${name}`,
  statement: fixed(name),
  values: (input, cursors) => [
    input.query.cursor === undefined ? '' : cursors.open(list, input.query.cursor),
    limitOf(input) + 1,
  ],
  body: (rows, input, cursors) => bodies.buildPage((rows as never[]).map(row), limitOf(input), cursors, list),
})

const ofAsset = (
  name: string,
  path: string,
  statement: Operation['statement'],
  build: (rows: MeasurementRow[], input: Input) => object,
): Operation => ({
  name,
  path: `/v1/partner/assets/:id/${path}`,
  statement,
  values: idAndRange,
  body: (rows, input) => (rows.length === 0 ? undefined : build(rows, input)),
})

export const OPERATIONS: Operation[] = [
  {
    name: 'meta',
    path: '/v1/partner/meta',
    statement: fixed('meta'),
    values: () => [],
    body: rows => ({
      version: 'v1',
      companies: (rows as Record<string, unknown>[]).map(({ key: _, ...company }) => company),
      methodology: '/v1/partner/methodology',
      key: (rows as { key: unknown }[])[0]?.key,
    }),
  },
  {
    name: 'asset',
    path: '/v1/partner/assets/:id',
    statement: fixed('asset'),
    values: ({ id }) => [id],
    body: rows => rows[0],
  },
  page('assets', ASSETS_LIST, row => row),
  page('sensors', SENSORS_LIST, bodies.buildSensor),
  ofAsset('summary', 'impressions/summary', fixed('totals'), (rows, input) =>
    bodies.buildSummary(rows, rangeOf(input)),
  ),
  ofAsset('daily', 'impressions/daily', fixed('totals'), (rows, input) => bodies.buildDaily(rows, rangeOf(input))),
  ofAsset('hourly', 'impressions/hourly', fixed('hours'), (rows, input) =>
    bodies.buildSeries(rows, rangeOf(input), 60),
  ),
  ofAsset(
    'timeseries',
    'impressions/timeseries',
    input => {
      const grain = grainOf(input)
      return fixed(grain === 60 ? 'hours' : typeof grain === 'number' ? 'counts' : 'totals')()
    },
    (rows, input) => bodies.buildSeries(rows, rangeOf(input), grainOf(input)),
  ),
  ofAsset('by-region', 'impressions/by-region', fixed('regions'), ([row]) => bodies.buildRegions(row as never)),
  ofAsset('demographics', 'demographics', fixed('demographics'), (rows, input) => {
    const [{ cells }] = rows as unknown as [{ cells: number[] }]
    return { asset_id: input.id, ...bodies.buildDemographics(cells, rangeOf(input)) }
  }),
  {
    name: 'aggregate',
    path: '/v1/partner/demographics/aggregate',
    statement: input => fixed(idsOf(input) ? 'aggregateOf' : 'aggregate')(),
    values: input => {
      const [{ from, to }, ids] = [rangeOf(input), idsOf(input)]
      return ids ? [from, to, ids] : [from, to]
    },
    body(rows, input) {
      const [{ known, asset_count, cells }] = rows as unknown as [
        { known: number; asset_count: number; cells: number[] },
      ]
      const ids = idsOf(input)
      if (ids && known !== new Set(ids).size) return undefined
      return { asset_count, ...bodies.buildDemographics(cells, rangeOf(input)) }
    },
  },
  {
    name: 'per-minute',
    path: '/v1/metrics/assets/:id/per-minute',
    statement: fixed('legacy'),
    values: input => [input.id, dateOf(input, 'date'), dateOf(input, 'date')],
    body(rows: MeasurementRow[], input) {
      const [asset] = rows
      if (!asset) return undefined
      const date = dateOf(input, 'date')
      const grain = Math.max(1, ...asset.installations.map(({ minutes }) => minutes)) as Grain
      const { names, sums, observed, total, withData } = fillBuckets(rows, date, date, grain)
      const data = names.map((start, i) => ({
        time: start.slice(11, 16),
        impressions: observed[i] === 0 ? null : sums[i],
      }))
      return { analytics: { total, average: average(total, withData), data }, ...bodies.buildState(asset.state) }
    },
  },
]

const idsOf = ({ query }: Input): string[] | undefined => query.asset_ids?.split(',')
