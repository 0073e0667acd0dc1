/** Estimates the bytes of a value in a response, by the type of its field. */
import { type GraphQLField, getNamedType, isEnumType } from 'graphql'

/** An error, with its path and details. */
export const ERROR_BYTES = 300

/** Bytes of values by type. Identifiers have up to 32 characters. */
const BYTES: Record<string, number> = {
  ID: 34,
  Int: 11,
  Float: 20,
  Boolean: 5,
  Date: 12,
  DateTime: 27,
  Count: 16,
  Int64: 17,
  AgeBand: 9,
}

/** The longest texts that the database accepts, in characters, by field. */
const MAX_CHARACTERS: Record<string, number> = { description: 5_000, name: 500, address: 500, reason: 500 }

const MAX_CHARACTERS_OTHERWISE = 200

/** Most languages need one or two bytes. */
const BYTES_PER_CHARACTER = 2

/** Quotes, colon, and a comma or brackets. */
const PUNCTUATION = 6

/** @param field undefined for an object, whose fields are added, and for `__typename` */
export function valueBytes(key: string, field: GraphQLField<unknown, unknown> | undefined): number {
  const overhead = key.length + PUNCTUATION
  if (!field) return overhead + 24
  const type = getNamedType(field.type)
  if (isEnumType(type)) return overhead + Math.max(...type.getValues().map(({ name }) => name.length))
  const characters = MAX_CHARACTERS[field.name] ?? MAX_CHARACTERS_OTHERWISE
  return overhead + (BYTES[type.name] ?? characters * BYTES_PER_CHARACTER)
}
