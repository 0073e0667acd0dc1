/** The names of the kinds of files, for code that does not import: `kinds.ts` loads all that does. */
import { FACT_KINDS } from '../facts'
import { ENTITIES } from '../references'
import type { Kind } from './kinds'

export const KIND_NAMES = [...Object.keys(ENTITIES), 'health', ...FACT_KINDS] as Kind[]
