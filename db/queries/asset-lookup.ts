/** Subqueries that find assets in scope, by the parameter `:id`. */
import { inScope } from '../postgres/scoped-reader'

/** SQL: conditions on rows of assets. Any id is an id, or a legacy id: a whole number without leading zeros in the range of integers. */
const CONDITIONS = {
  id: 'id = :id',
  'any-id': `(id = :id OR legacy_id = CASE
    WHEN :id ~ '^[1-9][0-9]{0,9}$' AND :id::bigint <= 2147483647 THEN :id::bigint END)`,
  ids: 'id = ANY (:id::text[])',
}

/** The way in which assets are named. */
export type LookUp = keyof typeof CONDITIONS

/** Returns the SQL of a subquery with these columns. */
export const findAssets = (columns: string, by: LookUp): string =>
  `(SELECT ${columns} FROM assets WHERE ${CONDITIONS[by]} AND ${inScope('company')})`
