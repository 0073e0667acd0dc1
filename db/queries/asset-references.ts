/** By what a caller may name an asset: its id, or, in the legacy interface, its legacy id too. */

export interface AssetReference {
  /** For the names of statements. */
  name: string
  /** SQL that finds the asset which a text parameter names. */
  asset(parameter: string): string
}

export const BY_ID: AssetReference = { name: 'by-id', asset: parameter => `id = ${parameter}` }

/** A whole number without leading zeros that fits is a legacy id; what is neither is no asset's. */
export const BY_ANY_ID: AssetReference = {
  name: 'by-any-id',
  asset: parameter => `(id = ${parameter} OR legacy_id = CASE
    WHEN ${parameter} ~ '^[1-9][0-9]{0,9}$' AND ${parameter}::bigint <= 2147483647 THEN ${parameter}::bigint END)`,
}

/** Any of a list of ids. */
export const AMONG_IDS: AssetReference = {
  name: 'among-ids',
  asset: parameter => `id = ANY (${parameter}::text[])`,
}
