/** The kinds of files that can be imported, and what stands in them. */
import type { ClientBase } from 'pg'
import type { Tally } from './figures'
import { takeImpressions } from './impressions'
import type { Intake } from './intake'

interface KindOfImport {
  columns: readonly string[]
  /** Columns without which no row makes sense; `a|b` for one of two. */
  required: readonly string[]
  open(client: ClientBase, columns: readonly string[], tally: Tally, held?: number): Promise<Intake>
}

const COUNTS = ['sensor', 'start', 'impressions']

export const KINDS = {
  impressions: { columns: COUNTS, required: COUNTS, open: takeImpressions },
} satisfies Record<string, KindOfImport>

export type Kind = keyof typeof KINDS
