/**
 * The kinds of facts: one record has all that is known of each. A kind of the feed of changes that is missing here is a compile
 * error, and so is one of these that `imports/kinds.ts` cannot import. A test compares the record with the tables.
 */
import type { ChangeKind } from '../schema/generated'
import { COUNTED_DAYS } from './counts/set-aside-day'
import { GROUP_COLUMNS } from './queries/demographics'

/** The kinds of changes of days; all others are changes of records. */
export type FactKind = Exclude<ChangeKind, 'asset' | 'sensors' | 'removed' | 'notes'>

interface Fact {
  /** Tables with the columns `asset`, `company` and `date`. */
  tables: readonly string[]
  /** SQL of the rows of all of them. */
  rows: string
  /** The entity whose facts an operator deletes. */
  of: 'asset' | 'sensor'
  /** SQL of what is measured before rows `d` are deleted. Rows are counted as an import has them. */
  figures: Readonly<Record<string, string>>
}

export const FACTS = {
  // Native intervals with a count, and their sum; intervals with a count that is set aside.
  impressions: {
    ...{ tables: ['sensor_days', 'set_aside_days'], rows: COUNTED_DAYS, of: 'sensor' },
    figures: {
      counts: 'coalesce(sum(d.observed) FILTER (WHERE d.set_aside IS NULL), 0)',
      impressions: 'coalesce(sum(d.impressions) FILTER (WHERE d.set_aside IS NULL), 0)',
      set_aside: 'coalesce(sum(d.observed) FILTER (WHERE d.set_aside IS NOT NULL), 0)',
    },
  },
  origins: {
    ...{ tables: ['origin_days'], rows: 'origin_days', of: 'asset' },
    figures: { origins: 'sum(cardinality(d.places))' },
  },
  demographics: {
    ...{ tables: ['demographic_days'], rows: 'demographic_days', of: 'asset' },
    figures: { demographics: `sum(num_nonnulls(${GROUP_COLUMNS.join(', ')}))` },
  },
} as const satisfies Record<FactKind, Fact>

export const FACT_KINDS = Object.keys(FACTS) as FactKind[]

export const FACT_TABLES = FACT_KINDS.flatMap(kind => FACTS[kind].tables)

export type FactFigure = { [Kind in FactKind]: keyof (typeof FACTS)[Kind]['figures'] }[FactKind]

export const FACT_FIGURES = FACT_KINDS.flatMap(kind => Object.keys(FACTS[kind].figures)) as FactFigure[]
