/** Finds what an operator refers to, by id or natural key. */
import type { ClientBase, Pool } from 'pg'
import { suggestion } from '../nearest-name'
import { OperatorError } from '../operator-error'

export type EntityKind = 'companies' | 'vendors' | 'assets' | 'sensors'

interface Entity {
  noun: string
  naturalKey: string
  /** The keys in the order in which they are compared, as imports do. */
  keys: readonly [string, string]
}

const ENTITIES: Record<EntityKind, Entity> = {
  companies: { noun: 'company', naturalKey: 'name', keys: ['id', 'name'] },
  vendors: { noun: 'vendor', naturalKey: 'name', keys: ['id', 'name'] },
  assets: { noun: 'asset', naturalKey: 'legacy id', keys: ['id', 'legacy_id'] },
  sensors: { noun: 'sensor', naturalKey: 'serial', keys: ['serial', 'id'] },
}

/** Names that are compared for a suggestion. */
const MAX_CANDIDATES = 200_000

/** Unknown references in an error. */
const MAX_REPORTED = 20

/**
 * The numbers of entities, without repetition.
 *
 * @throws OperatorError UNKNOWN_COMPANY, UNKNOWN_VENDOR, UNKNOWN_ASSET or UNKNOWN_SENSOR if any is unknown
 */
export async function findNumbers(
  db: Pool | ClientBase,
  kind: EntityKind,
  references: readonly string[],
): Promise<number[]> {
  const [first, second] = ENTITIES[kind].keys.map(key => equals(key))
  const { rows } = await db.query<{ reference: string; number: number | null }>(
    `SELECT reference, coalesce((SELECT number FROM ${kind} t WHERE ${first}), (SELECT number FROM ${kind} t WHERE ${second})) AS number
     FROM unnest($1::text[]) WITH ORDINALITY AS r (reference, position) ORDER BY position`,
    [references],
  )
  const unknown = rows.filter(({ number }) => number === null)
  if (unknown.length > 0) {
    throw await unknownError(
      db,
      kind,
      unknown.map(({ reference }) => reference),
    )
  }
  return [...new Set(rows.map(({ number }) => number as number))]
}

/** SQL: whether a key of `t` is the reference. Legacy ids are numbers, whose index is used. */
const equals = (key: string): string =>
  key === 'legacy_id'
    ? `t.legacy_id = CASE WHEN reference ~ '^[1-9][0-9]{0,9}$' THEN reference::bigint END`
    : `t.${key} = reference`

/** An error with a line for each reference that is unknown. */
async function unknownError(
  db: Pool | ClientBase,
  kind: EntityKind,
  references: readonly string[],
): Promise<OperatorError> {
  const { noun, naturalKey, keys } = ENTITIES[kind]
  const { rows } = await db.query(
    `SELECT name FROM (SELECT ${keys[0]}::text AS name FROM ${kind} UNION SELECT ${keys[1]}::text FROM ${kind}) t
     WHERE name IS NOT NULL ORDER BY name LIMIT ${MAX_CANDIDATES}`,
  )
  const names: string[] = rows.map(({ name }) => name)
  const reasons = references.slice(0, MAX_REPORTED).map(reference => {
    const remedy = suggestion(reference, names) || ` (\`partner-metrics list ${kind}\` shows all)`
    return `there is no ${noun} with the id or ${naturalKey} ${JSON.stringify(reference)}${remedy}`
  })
  const more = references.length - MAX_REPORTED
  if (more > 0) reasons.push(`and ${more} more are unknown`)
  return new OperatorError(`UNKNOWN_${noun.toUpperCase()}`, reasons.join('\n'))
}
