/** Parameters of routes: each has its parser, the type of its GraphQL variable, its JSON schema and its errors. */
import { GRAINS, isWithinDay } from '../../db/calendar/grains'
import { isInstant } from '../../db/calendar/instants'
import { isDate } from '../../db/calendar/local-days'
import { MAX_PAGE_SIZE, MAX_SECONDS } from '../../resolvers/limits/rows'
import { ApiError, invalidParameter } from '../../schema/errors'
import type { Grain } from '../../schema/generated'
import type { Parameter } from '../record'

/** Parameters are checked in this order, whatever their order in the URL. */
const ORDER = ['from_date', 'to_date', 'start', 'end', 'date', 'grain', 'limit', 'cursor', 'asset_id', 'asset_ids']

export function inOrder(parameters: Parameter[]): Parameter[] {
  const rank = ({ name }: Parameter) => (ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length)
  return [...parameters].sort((a, b) => rank(a) - rank(b))
}

export const missing = (parameter: string): ApiError =>
  new ApiError('REQUIRED_PARAMETER', { parameter }, `${parameter} is required.`)

/** @throws ApiError INVALID_PARAMETER when a parameter was sent more than once */
export function single(parameter: string, texts: readonly string[]): string | undefined {
  if (texts.length > 1) throw invalidParameter(parameter, texts.join(', '), 'given once')
  return texts[0]
}

/** Returns a parameter of the query that may be left out. Its value is its text, unless it has a parser. */
export function optional(
  parameter: Pick<Parameter, 'name' | 'description' | 'type' | 'schema' | 'example'> & Partial<Parameter>,
): Parameter {
  return {
    in: 'query',
    required: false,
    errors: ['INVALID_PARAMETER'],
    parse: text => text,
    ...parameter,
  }
}

/** Ids of the demo data. */
export const ASSET = 'demo0psbe5xamiil20g7lzmd'
export const OTHER_ASSET = 'demo0buse4i45pfvs6wase7t'
const LEGACY_ID = '9100123'

export const assetId: Parameter = {
  name: 'id',
  in: 'path',
  description: 'The id of the asset.',
  required: true,
  type: 'ID!',
  schema: { type: 'string' },
  errors: ['NOT_FOUND'],
  example: ASSET,
  parse: text => text,
}

const wholeNumber = (
  max: number,
  parameter: Pick<Parameter, 'name' | 'description' | 'type' | 'example'> & Partial<Parameter>,
): Parameter =>
  optional({
    schema: { type: 'integer', minimum: 1, maximum: max, ...defaultOf(parameter) },
    parse(text) {
      const value = /^[0-9]+$/.test(text) && text.length <= String(max).length ? Number(text) : 0
      if (value < 1 || value > max) throw invalidParameter(parameter.name, text, `a whole number from 1 to ${max}`)
      return value
    },
    ...parameter,
  })

const defaultOf = ({ defaultValue }: Partial<Parameter>) => defaultValue !== undefined && { default: defaultValue }

export const seconds = wholeNumber(MAX_SECONDS, {
  name: 'seconds',
  description:
    'Adds `audience` to each row: people per play, the average impressions of an hour × seconds ÷ 3600. Give the length of the loop or spot, or the dwell time: a multiplier of location traffic.',
  example: 12,
  type: 'Int',
})

const date = (name: string, description: string, example: string): Parameter => ({
  name,
  in: 'query',
  description,
  required: true,
  type: 'Date!',
  schema: { type: 'string', format: 'date' },
  errors: ['REQUIRED_PARAMETER', 'INVALID_DATE', 'INVALID_PARAMETER'],
  example,
  parse(text) {
    if (!text) throw missing(name)
    if (!isDate(text)) {
      throw new ApiError(
        'INVALID_DATE',
        { parameter: name, value: text },
        `${name} must be a real date, as YYYY-MM-DD.`,
      )
    }
    return text
  },
})

export const fromDate = date('from_date', "First day of the range, inclusive, in the asset's time zone.", '2026-10-23')

export const toDate = date('to_date', "Last day of the range, inclusive, in the asset's time zone.", '2026-10-25')

export const start = date('start', 'First day of the range, inclusive.', '2026-10-23')

export const end = date('end', 'Last day of the range, inclusive.', '2026-10-25')

export const day = date('date', 'The local day.', '2026-10-25')

export const anyAssetId: Parameter = {
  ...assetId,
  description: 'The legacy id or the id of the asset.',
  example: LEGACY_ID,
}

const DEFAULT_LIMIT = 50

export const limit = wholeNumber(MAX_PAGE_SIZE, {
  name: 'limit',
  paging: true,
  description: 'The page size.',
  example: 2,
  type: 'Int!',
  defaultValue: DEFAULT_LIMIT,
})

export const cursor = optional({
  name: 'cursor',
  paging: true,
  description: 'The `pagination.cursor` of the previous page. Cursors are opaque: do not construct or decode them.',
  example: 'WzV5CYWLY9McXRD20NS2Eab8JhNU_ShMff_sh3ZWfv9FDNkDTW9TbJ-EljCx9TLAgUk1uA',
  type: 'ID',
  schema: { type: 'string' },
  errors: ['INVALID_CURSOR', 'INVALID_PARAMETER'],
  parse: (text, { cursors, list }) => cursors.open(list, text),
})

export const assetIdFilter = optional({
  name: 'asset_id',
  description: 'Returns only sensors of this asset.',
  example: ASSET,
  type: 'ID',
  schema: { type: 'string' },
  errors: ['NOT_FOUND', 'INVALID_PARAMETER'],
})

const instant = (name: string, description: string): Parameter =>
  optional({
    name,
    description: `${description} In RFC 3339, inclusive; a \`+\` in a URL is written \`%2B\`.`,
    example: '2026-10-25T00:00:00Z',
    type: 'DateTime',
    schema: { type: 'string', format: 'date-time' },
    parse(text) {
      if (!isInstant(text)) {
        throw invalidParameter(
          name,
          text,
          'a time in RFC 3339, such as 2026-10-25T00:00:00Z (a + in a URL is written %2B)',
        )
      }
      return text
    },
  })

export const updatedSince = instant(
  'updated_since',
  'Returns only records that have changed since this time: those with this `updated_at` or a later one.',
)

export const restatedSince = instant(
  'since',
  'Returns only restatements from this time on: those with this `restated_at` or a later one.',
)

export const since: Parameter = {
  ...instant(
    'since',
    'Begins the feed with the changes from this time on. Not allowed with `cursor`. A change becomes visible shortly after its `changed_at`: follow the cursor from then on, since a client that polls by `since` alone can miss changes.',
  ),
  paging: true,
}

export const asOf = instant(
  'as_of',
  'Returns the impressions as they were at this time, with the sensors, time zones and attributes of now, for the assets in scope now. Days that were not over six hours before are missing.',
)

export const range = [fromDate, toDate]

export const rangeErrors = ['INVALID_DATE_RANGE', 'RANGE_TOO_LARGE'] as const

const daysAt = (grain: Grain): string => `${GRAINS[grain].maxDays.toLocaleString('en')} days`

export const maxRange = (grain: Grain = 'day'): string => `Maximum range: ${daysAt(grain)}.`

export const MAX_RANGE_BY_GRAIN = `Maximum range: ${(Object.keys(GRAINS) as Grain[])
  .filter(isWithinDay)
  .map(grain => `${daysAt(grain)} at \`${grain}\``)
  .join(', ')}; ${daysAt('day')} at coarser grains.`
