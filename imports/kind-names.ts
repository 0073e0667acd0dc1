/** The kinds of files that can be imported, by name: `kinds.ts` loads all that imports them. */
import { FACT_KINDS } from '../db/facts'
import { ENTITIES, type EntityKind } from '../db/references'

export const KIND_NAMES = [
  ...(Object.keys(ENTITIES) as EntityKind[]),
  'health' as const,
  'notes' as const,
  ...FACT_KINDS,
]

export type Kind = (typeof KIND_NAMES)[number]
