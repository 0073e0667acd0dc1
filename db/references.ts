/** Finds what operators and files refer to, by id or natural key; makes the ids of new rows. */
import { init } from '@paralleldrive/cuid2'
import type { ClientBase, Pool } from 'pg'
import { quote } from './file-errors'
import { suggestion } from './nearest-name'
import { OperatorError } from './operator-error'

export const makeId = init({ length: 24 })

export type EntityKind = 'companies' | 'vendors' | 'assets' | 'sensors'

interface Entity {
  noun: string
  /** The keys in the order in which they are compared. */
  keys: readonly string[]
  /** The key besides the id. */
  naturalKey: string
  /** A column to which files may refer, besides keys, where no other entity has the same value. */
  name?: string
}

export const ENTITIES: Readonly<Record<EntityKind, Entity>> = {
  companies: { noun: 'company', keys: ['id', 'name'], naturalKey: 'name' },
  vendors: { noun: 'vendor', keys: ['id', 'name'], naturalKey: 'name' },
  assets: { noun: 'asset', keys: ['id', 'legacy_id'], naturalKey: 'legacy_id', name: 'name' },
  sensors: { noun: 'sensor', keys: ['serial', 'id'], naturalKey: 'serial' },
}

/**
 * Returns the SQL of the references to entities of a kind, in parentheses: rows `reference, number, rank, entities`. Of
 * equal references the one with the lowest rank counts, if it is that of one entity.
 */
export function referencesSql(kind: EntityKind, by: 'keys' | 'keys and name' = 'keys'): string {
  const { keys, name } = ENTITIES[kind]
  const parts = keys.map(
    (key, rank) =>
      `SELECT ${key}::text COLLATE "C" AS reference, number, ${rank} AS rank, 1::bigint AS entities FROM ${kind} WHERE ${key} IS NOT NULL`,
  )
  if (name && by === 'keys and name') {
    parts.push(
      `SELECT ${name} COLLATE "C", number, ${keys.length}, count(*) OVER (PARTITION BY ${name} COLLATE "C") FROM ${kind}`,
    )
  }
  return `(${parts.join(' UNION ALL ')})`
}

/** Names that are compared for a suggestion. */
const MAX_CANDIDATES = 200_000

/** Unknown references in an error. */
const MAX_REPORTED = 20

/**
 * Returns the numbers of entities, without repetition.
 *
 * @throws OperatorError UNKNOWN_COMPANY, UNKNOWN_VENDOR, UNKNOWN_ASSET or UNKNOWN_SENSOR if any is unknown; AMBIGUOUS_ASSET
 */
export async function findNumbers(
  db: Pool | ClientBase,
  kind: EntityKind,
  references: readonly string[],
  by: Parameters<typeof referencesSql>[1] = 'keys',
): Promise<number[]> {
  const { rows } = await db.query<{ reference: string; number: number | null; entities: number }>(
    `SELECT DISTINCT ON (position) g.reference, r.number, r.entities::integer
     FROM unnest($1::text[]) WITH ORDINALITY AS g (reference, position)
       LEFT JOIN ${referencesSql(kind, by)} AS r ON r.reference = g.reference
     ORDER BY position, rank`,
    [references.map(reference => reference.normalize('NFC'))],
  )
  const ambiguous = rows.find(({ entities }) => entities > 1)
  if (ambiguous) {
    const { reference, entities } = ambiguous
    const reason = `there are ${entities} ${kind} with the name ${quote(reference)}: give an id instead`
    throw new OperatorError(
      `AMBIGUOUS_${ENTITIES[kind].noun.toUpperCase()}`,
      `${reason} (\`partner-metrics list ${kind}\` shows all)`,
    )
  }
  const unknown = rows.filter(({ number }) => number === null).map(({ reference }) => reference)
  if (unknown.length > 0) throw await unknownError(db, kind, unknown, by)
  return [...new Set(rows.map(({ number }) => number!))]
}

/** Returns an error with a line for each reference that is unknown. */
async function unknownError(
  db: Pool | ClientBase,
  kind: EntityKind,
  references: readonly string[],
  by: Parameters<typeof referencesSql>[1],
): Promise<OperatorError> {
  const { noun, naturalKey, name } = ENTITIES[kind]
  const keys = ['id', naturalKey, ...(name && by === 'keys and name' ? [name] : [])]
  const { rows } = await db.query<{ reference: string }>(
    `SELECT reference FROM ${referencesSql(kind, by)} AS r ORDER BY reference LIMIT ${MAX_CANDIDATES}`,
  )
  const known = rows.map(({ reference }) => reference)
  const reasons = references.slice(0, MAX_REPORTED).map(reference => {
    const remedy = suggestion(reference, known) || ` (\`partner-metrics list ${kind}\` shows all)`
    return `there is no ${noun} with the ${keys.join(' or ').replace('_', ' ')} ${quote(reference)}${remedy}`
  })
  const more = references.length - MAX_REPORTED
  if (more > 0) reasons.push(`and ${more} more are unknown`)
  return new OperatorError(`UNKNOWN_${noun.toUpperCase()}`, reasons.join('\n'))
}
