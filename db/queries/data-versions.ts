/**
 * Versions of the data of an asset. The statements compare them with the version that the caller
 * has, and read no counts where it is current.
 */

/** The state that a caller has cached: a version of this result, or all changes before a second since 1970. */
export interface Precondition {
  version: number | null
  unchangedSince: number | null
}

export const NO_PRECONDITION: Precondition = { version: null, unchangedSince: null }

/** Both instants are in microseconds since 1970. */
export interface DataVersion {
  /** When the data of the requested range last changed. Each version of the range has a value of its own. */
  version: number
  /** When any data of the asset last changed. No two changes are in the same second. */
  changed: number
  /** Whether the precondition has this version. Nothing else was read then. */
  matches: boolean
}

/** The columns of a row that make a version. */
export interface VersionColumns {
  /** Null where no version was requested. */
  version: number | null
  changed: number | null
  matches: boolean
}

export const readVersion = ({ version, changed, matches }: VersionColumns): DataVersion => ({
  version: version ?? 0,
  changed: changed ?? 0,
  matches,
})
