/** The routes of the hand-written peers: each with its statement, its values, and the body made from the rows. */
import { isDate } from '../../db/calendar/local-days'
import type { Cursors } from '../../rest-gateway/read/cursors'
import { ASSETS_LIST } from '../data/routes'
import * as bodies from './bodies'
import type { Grain, MeasurementRow } from './buckets'
import type { SCHEMAS } from './schemas'
import type { STATEMENTS } from './statements'

/** The parameters of a request. */
export interface Input {
  /** The asset's id in the path; empty where the path has none. */
  id: string
  query: Record<string, string | undefined>
}

export class InvalidParameter extends Error {
  readonly statusCode = 400
}

export interface Operation {
  name: keyof typeof SCHEMAS
  /** May contain `:id`. */
  path: string
  statement(input: Input): keyof typeof STATEMENTS
  /** The values from $2 on. */
  values(input: Input, cursors: Cursors): unknown[]
  /** Is called with at least one row. */
  body(rows: never[], input: Input, cursors: Cursors): object
}

const dateOf = ({ query }: Input, name: string): string => {
  const date = query[name]
  if (date === undefined || !isDate(date)) throw new InvalidParameter(name)
  return date
}

const rangeOf = (input: Input): bodies.Range => {
  const range = { from: dateOf(input, 'from_date'), to: dateOf(input, 'to_date') }
  if (range.from > range.to) throw new InvalidParameter('from_date')
  return range
}

const limitOf = ({ query }: Input): number => {
  const limit = Number(query.limit ?? 50)
  if (!(Number.isInteger(limit) && limit >= 1 && limit <= 500)) throw new InvalidParameter('limit')
  return limit
}

const GRAINS: Record<string, Grain> = { minute: 1, hour: 60 }

const grainOf = ({ query }: Input): Grain => {
  const grain = GRAINS[query.grain ?? '']
  if (!grain) throw new InvalidParameter('grain')
  return grain
}

const idAndRange = (input: Input): unknown[] => {
  const { from, to } = rangeOf(input)
  return [input.id, from, to]
}

const ofAsset = (
  name: Operation['name'],
  path: string,
  statement: Operation['statement'],
  body: (rows: MeasurementRow[], input: Input) => object,
): Operation => ({ name, path: `/v1/partner/assets/:id/${path}`, statement, values: idAndRange, body })

export const OPERATIONS: Operation[] = [
  {
    name: 'meta',
    path: '/v1/partner/meta',
    statement: () => 'meta',
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
    statement: () => 'asset',
    values: ({ id }) => [id],
    body: rows => rows[0]!,
  },
  {
    name: 'assets',
    path: '/v1/partner/assets',
    statement: () => 'assets',
    values: (input, cursors) => [
      input.query.cursor === undefined ? '' : cursors.open(ASSETS_LIST, input.query.cursor),
      limitOf(input) + 1,
    ],
    body: (rows, input, cursors) => bodies.buildPage(rows, limitOf(input), cursors, ASSETS_LIST),
  },
  ofAsset(
    'daily',
    'impressions/daily',
    () => 'totals',
    (rows, input) => bodies.buildDaily(rows, rangeOf(input)),
  ),
  ofAsset(
    'timeseries',
    'impressions/timeseries',
    input => (grainOf(input) === 60 ? 'hours' : 'counts'),
    (rows, input) => bodies.buildSeries(rows, rangeOf(input), grainOf(input)),
  ),
  ofAsset(
    'by-region',
    'impressions/by-region',
    () => 'regions',
    ([row]) => bodies.buildRegions(row as never),
  ),
  ofAsset(
    'demographics',
    'demographics',
    () => 'demographics',
    (rows, input) => {
      const [{ cells }] = rows as unknown as [{ cells: number[] }]
      return { asset_id: input.id, ...bodies.buildDemographics(cells, rangeOf(input)) }
    },
  ),
]
