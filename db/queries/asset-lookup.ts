/** Subqueries that find assets in scope. Parameter 1 of a statement is the id, or the ids. */
import { inScope } from '../postgres/scoped-reader'

/** SQL: conditions on rows of assets. */
export const BY_ID = 'id = $1'

/** An id, or a legacy id: a whole number without leading zeros in the range of integers. */
export const BY_ANY_ID = `(id = $1 OR legacy_id = CASE
    WHEN $1 ~ '^[1-9][0-9]{0,9}$' AND $1::bigint <= 2147483647 THEN $1::bigint END)`

export const AMONG_IDS = 'id = ANY ($1::text[])'

/** Returns the SQL of a subquery with these columns. */
export const findAssets = (columns: string, condition: string): string =>
  `(SELECT ${columns} FROM assets WHERE ${condition} AND ${inScope('company')})`
