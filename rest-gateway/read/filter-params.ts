/** Parameters that select assets. */

import type { AssetRow } from '../../db/assets/attributes'
import { EXTERNAL_ID_PATTERN, splitExternalId } from '../../db/assets/external-ids'
import { invalidParameter } from '../../schema/errors'
import type { AssetFilter } from '../../schema/generated'
import type { Parameter } from '../record'
import { enumValues } from './choices'
import { ASSET, OTHER_ASSET, optional } from './params'

const MAX_ASSET_IDS = 200

export const assetIds = optional({
  name: 'asset_ids',
  description: `Includes only these assets: 1 to ${MAX_ASSET_IDS} comma-separated ids.`,
  example: `${ASSET},${OTHER_ASSET}`,
  type: '[ID!]',
  schema: { type: 'string' },
  errors: ['NOT_FOUND', 'INVALID_PARAMETER'],
  parse(text) {
    const ids = text.split(',', MAX_ASSET_IDS + 1)
    if (text === '' || ids.length > MAX_ASSET_IDS) {
      throw invalidParameter('asset_ids', text, `1 to ${MAX_ASSET_IDS} ids, separated by commas`)
    }
    return ids
  },
})

/** Parses a comma-separated list. A value with a comma is enclosed in double quotes, in which a quote is doubled. */
function parseList(text: string): string[] | undefined {
  const list = /^(?:"(?:[^"]|"")+"|[^",]+)(?:,(?:"(?:[^"]|"")+"|[^",]+))*$/
  if (!list.test(text)) return undefined
  return [...text.matchAll(/"((?:[^"]|"")+)"|[^",]+/g)].map(([value, quoted]) => quoted?.replaceAll('""', '"') ?? value)
}

const MAX_ALTERNATIVES = 200

interface Attribute {
  name: string
  type: string
  description: string
  pattern: RegExp
  expected: string
  example: string
}

const COUNTRY: Attribute = {
  name: 'country',
  type: 'String',
  description: 'Includes only assets in this country (ISO 3166-1 alpha-2 code).',
  pattern: /^[A-Z]{2}$/,
  expected: 'an ISO 3166-1 alpha-2 code, such as DE',
  example: 'GB',
}

const REGION: Attribute = {
  name: 'region',
  type: 'String',
  description: 'Includes only assets in this region (ISO 3166-2 code).',
  pattern: /^[A-Z]{2}-[A-Z0-9]{1,3}$/,
  expected: 'an ISO 3166-2 code, such as DE-BE',
  example: 'GB-LND',
}

const CITY: Attribute = {
  name: 'city',
  type: 'String',
  description: 'Includes only assets in this city; exact match.',
  pattern: /^.{1,200}$/u,
  expected: 'the name of a city, of 1 to 200 characters',
  example: 'London',
}

function enumAttribute(name: string, type: string, description: string, example: string): Attribute {
  const values = enumValues(type)
  return {
    ...{ name, type, description, example },
    pattern: new RegExp(`^(?:${values.join('|')})$`),
    expected: `one of ${values.join(', ')}`,
  }
}

function oneValue({ name, type, description, example, pattern, expected }: Attribute): Parameter {
  return optional({
    ...{ name, description, example },
    type: `[${type}!]`,
    schema: { type: 'string', pattern: pattern.source },
    parse(text) {
      if (!pattern.test(text)) throw invalidParameter(name, text, expected)
      return [text]
    },
  })
}

export const country = oneValue(COUNTRY)

export const region = oneValue(REGION)

export const city = oneValue(CITY)

function alternatives({ name, type, description, example, pattern, expected }: Attribute): Parameter {
  return optional({
    ...{ name, example },
    description: `${description} Separate alternatives with commas. Enclose a value that contains a comma in double quotes.`,
    type: `[${type}!]`,
    schema: { type: 'string' },
    parse(text) {
      const values = parseList(text)
      if (!values || values.length > MAX_ALTERNATIVES || !values.every(value => pattern.test(value))) {
        throw invalidParameter(name, text, `${expected}, or several of them, separated by commas`)
      }
      return values
    },
  })
}

const ofEnum = (...attribute: Parameters<typeof enumAttribute>) => alternatives(enumAttribute(...attribute))

/** The filter of each attribute that the schema filters by; null for those that REST does not have. */
const FILTERS: Record<keyof AssetFilter & keyof AssetRow, Parameter | null> = {
  id: assetIds,
  companyId: null,
  country: alternatives(COUNTRY),
  region: alternatives(REGION),
  city: alternatives(CITY),
  venueTypeId: null,
  mediaType: ofEnum('media_type', 'MediaType', 'Includes only assets of this media type.', 'digital'),
  format: ofEnum('format', 'AssetFormat', 'Includes only assets of this format.', 'billboard,bus_shelter'),
  status: ofEnum('status', 'AssetStatus', 'Includes only assets with this status.', 'active'),
}

export const changeKinds: Parameter = {
  ...ofEnum('kinds', 'ChangeKind', '', 'asset,notes'),
  description:
    'Returns only changes of these kinds: comma-separated names. Without it, all kinds are returned but `notes`. A cursor belongs to the kinds with which it was issued.',
}

const nameContains = optional({
  name: 'name_contains',
  description: 'Includes only assets whose name contains this text: 2 to 100 characters, whatever their case.',
  example: 'bridge',
  type: 'String',
  schema: { type: 'string', minLength: 2, maxLength: 100 },
  parse(text) {
    if (!/^.{2,100}$/u.test(text)) {
      throw invalidParameter('name_contains', text, 'a part of a name, of 2 to 100 characters')
    }
    return text
  },
})

const EXTERNAL_ID = alternatives({
  ...{ name: 'external_id', type: 'ExternalId', pattern: EXTERNAL_ID_PATTERN, example: 'hivestack:93726' },
  description:
    'Includes only assets with this id in another system: the name of the system, a colon, and the id; exact match.',
  expected: 'the name of a system, a colon, and the id there, such as hivestack:93726',
})

const externalId: Parameter = {
  ...EXTERNAL_ID,
  parse(text, request) {
    return (EXTERNAL_ID.parse(text, request) as string[]).map(splitExternalId)
  },
}

const GIVEN = [
  ...Object.entries(FILTERS).flatMap(([field, parameter]) => (parameter ? [{ field, parameter }] : [])),
  { field: 'nameContains', parameter: nameContains },
  { field: 'externalId', parameter: externalId },
]

/** Filters of assets. All of them must match. */
export const assetFilters: Parameter[] = GIVEN.map(({ parameter }) => parameter)

export const FILTER_FIELDS = GIVEN.map(({ field, parameter: { name } }) => `${field}: $${name}`).join(', ')
