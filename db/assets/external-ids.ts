/** The ids of assets in other systems, such as ad servers: the names of systems, and the forms of files and filters. */
import { type Column, text } from '../columns'

/** The prefix of the columns of files: `external_id:hivestack` has the ids in the system `hivestack`. */
export const EXTERNAL_ID_PREFIX = 'external_id:'

/** The most systems that have an id of one asset. */
export const MAX_SYSTEMS = 50

const MAX_ID_LENGTH = 200

const NAME = '[A-Za-z][A-Za-z0-9_-]{0,31}'

/** The names of systems, in words that complete the sentence "… must be". */
export const EXPECTED_SYSTEM = '1 to 32 letters, digits, hyphens and underscores, of which the first is a letter'

const SYSTEM = new RegExp(`^${NAME}$`)

/** An id as filters name it: its system, a colon, and the id. */
export const EXTERNAL_ID_PATTERN = new RegExp(`^${NAME}:.{1,${MAX_ID_LENGTH}}$`, 'su')

export function splitExternalId(text: string): { system: string; id: string } {
  const colon = text.indexOf(':')
  return { system: text.slice(0, colon), id: text.slice(colon + 1) }
}

/** The values of such a column of a file. */
export const externalId: Column = text(MAX_ID_LENGTH)

/** Returns the name of the system whose ids a column of a file has; undefined for any other column. */
export function systemOf(column: string): string | undefined {
  const system = column.startsWith(EXTERNAL_ID_PREFIX) ? column.slice(EXTERNAL_ID_PREFIX.length) : ''
  return SYSTEM.test(system) ? system : undefined
}

export const isExternalId = (column: string): boolean => systemOf(column) !== undefined

/** Returns the keys by which the database finds ids; none for a system that cannot be. */
export const externalKeys = (ids: readonly { system: string; id: string }[]): string[] =>
  ids.flatMap(({ system, id }) => (SYSTEM.test(system) ? `${system}:${id}` : []))
