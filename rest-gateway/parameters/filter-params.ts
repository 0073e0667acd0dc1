/** Parameters that select assets. */
import { ASSET, invalid, OTHER_ASSET, type Parameter } from './params'

/** The maximum number of ids in `asset_ids`. */
export const MAX_ASSET_IDS = 200

export const assetIds: Parameter = {
  name: 'asset_ids',
  in: 'query',
  description: `Includes only these assets: 1 to ${MAX_ASSET_IDS} comma-separated ids.`,
  required: false,
  example: `${ASSET},${OTHER_ASSET}`,
  type: '[ID!]',
  schema: { type: 'string' },
  errors: ['NOT_FOUND', 'INVALID_PARAMETER'],
  parse(text) {
    if (text === undefined) return null
    const ids = text.split(',')
    if (text === '' || ids.length > MAX_ASSET_IDS) {
      throw invalid('asset_ids', text, `1 to ${MAX_ASSET_IDS} ids, separated by commas`)
    }
    return ids
  },
}

/** The values of a list, separated by commas. One with a comma stands in double quotes, in which a quote is doubled. */
function valuesOf(text: string): string[] | undefined {
  const list = /^(?:"(?:[^"]|"")+"|[^",]+)(?:,(?:"(?:[^"]|"")+"|[^",]+))*$/
  if (!list.test(text)) return undefined
  return [...text.matchAll(/"((?:[^"]|"")+)"|[^",]+/g)].map(([value, quoted]) => quoted?.replaceAll('""', '"') ?? value)
}

/** The maximum number of alternatives of a filter. */
const MAX_ALTERNATIVES = 200

/** A filter of assets with several alternatives. */
const alternatives = (
  name: string,
  type: string,
  description: string,
  pattern: RegExp,
  expected: string,
  example: string,
): Parameter => ({
  name,
  in: 'query',
  description: `${description} Several alternatives are separated by commas; one with a comma stands in double quotes.`,
  required: false,
  type: `[${type}!]`,
  schema: { type: 'string' },
  errors: ['INVALID_PARAMETER'],
  example,
  parse(text) {
    if (text === undefined) return null
    const values = valuesOf(text)
    if (!values || values.length > MAX_ALTERNATIVES || !values.every(value => pattern.test(value))) {
      throw invalid(name, text, `${expected}, or several of them, separated by commas`)
    }
    return values
  },
})

const oneOf = (values: readonly string[]): RegExp => new RegExp(`^(?:${values.join('|')})$`)

const MEDIA_TYPES = ['digital', 'static']
const FORMATS =
  'billboard bus_shelter urban_panel spectacular window_panel transit street_furniture place_based other'.split(' ')
const STATUSES = ['active', 'inactive', 'archived']

const namesOf = (values: readonly string[]): string => `one of ${values.join(', ')}`

/** A filter by the asset's location, checked by a pattern. */
const location = (
  name: string,
  description: string,
  pattern: RegExp,
  expected: string,
  example: string,
): Parameter => ({
  name,
  in: 'query',
  description,
  required: false,
  type: 'String',
  schema: { type: 'string', pattern: pattern.source },
  errors: ['INVALID_PARAMETER'],
  example,
  parse(text) {
    if (text === undefined) return null
    if (!pattern.test(text)) throw invalid(name, text, expected)
    return text
  },
})

export const country = location(
  'country',
  'Includes only assets in this country (ISO 3166-1 alpha-2 code).',
  /^[A-Z]{2}$/,
  'an ISO 3166-1 alpha-2 code, such as DE',
  'GB',
)

export const region = location(
  'region',
  'Includes only assets in this region (ISO 3166-2 code).',
  /^[A-Z]{2}-[A-Z0-9]{1,3}$/,
  'an ISO 3166-2 code, such as DE-BE',
  'GB-LND',
)

export const city = location(
  'city',
  'Includes only assets in this city; exact match.',
  /^.{1,200}$/u,
  'the name of a city, of 1 to 200 characters',
  'London',
)

/** Filters of assets, each with alternatives. All of them must match. */
export const assetFilters: Parameter[] = [
  assetIds,
  alternatives(
    'country',
    'String',
    'Includes only assets in this country.',
    /^[A-Z]{2}$/,
    'an ISO 3166-1 alpha-2 code, such as DE',
    'GB',
  ),
  alternatives(
    'region',
    'String',
    'Includes only assets in this region.',
    /^[A-Z]{2}-[A-Z0-9]{1,3}$/,
    'an ISO 3166-2 code, such as DE-BE',
    'GB-LND',
  ),
  alternatives(
    'city',
    'String',
    'Includes only assets in this city; exact match.',
    /^.{1,200}$/u,
    'the name of a city, of 1 to 200 characters',
    'London',
  ),
  alternatives(
    'media_type',
    'MediaType',
    'Includes only assets of this media type.',
    oneOf(MEDIA_TYPES),
    namesOf(MEDIA_TYPES),
    'digital',
  ),
  alternatives(
    'format',
    'AssetFormat',
    'Includes only assets of this format.',
    oneOf(FORMATS),
    namesOf(FORMATS),
    'billboard,bus_shelter',
  ),
  alternatives(
    'status',
    'AssetStatus',
    'Includes only assets with this status.',
    oneOf(STATUSES),
    namesOf(STATUSES),
    'active',
  ),
]

/** The variables of the filters, in a query. */
export const FILTER_VARIABLES = assetFilters.map(({ name, type }) => `$${name}: ${type}`).join(', ')

/** The filters as fields of the input of the schema. */
export const FILTER_FIELDS = assetFilters
  .map(
    ({ name }) =>
      `${name === 'asset_ids' ? 'id' : name.replace(/_(.)/, (_, letter) => letter.toUpperCase())}: $${name}`,
  )
  .join(', ')
