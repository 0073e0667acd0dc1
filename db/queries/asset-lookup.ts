/** Subqueries that find assets in scope by id or legacy id. */
import { inScope } from '../postgres/scoped-reader'

/** A way to name assets. */
interface AssetReference {
  /** For the names of statements. */
  name: string
  /** Returns SQL: the condition that a row of assets has the reference in this text parameter. */
  condition(parameter: string): string
}

export const BY_ID: AssetReference = { name: 'by-id', condition: parameter => `id = ${parameter}` }

/** An id, or a legacy id: a whole number without leading zeros in the range of integers. */
export const BY_ANY_ID: AssetReference = {
  name: 'by-any-id',
  condition: parameter => `(id = ${parameter} OR legacy_id = CASE
    WHEN ${parameter} ~ '^[1-9][0-9]{0,9}$' AND ${parameter}::bigint <= 2147483647 THEN ${parameter}::bigint END)`,
}

/** Any id of a list. */
export const AMONG_IDS: AssetReference = {
  name: 'among-ids',
  condition: parameter => `id = ANY (${parameter}::text[])`,
}

/** A subquery with the requested columns. Parameter 1 is the reference. */
export interface AssetLookup {
  /** For the names of statements. */
  name: string
  sql: string
}

/** Returns the lookup of assets in scope with these columns. */
export const findAssets = (columns: string, { name, condition }: AssetReference): AssetLookup => ({
  name,
  sql: `(SELECT ${columns} FROM assets WHERE ${condition('$1')} AND ${inScope('company')})`,
})
