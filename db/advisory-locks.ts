/** Numbers of the advisory locks in PostgreSQL, together because they must differ. */

/** Held while the schema or the grants of logins change. */
export const SCHEMA_LOCK = 7_400_011

/** Shared by all processes that use the embedded cluster. In the database `postgres`. */
export const CLUSTER_LEASE = 7_400_012

/** Held while the demo data set is loaded. */
export const DEMO_LOCK = 7_400_013

/** Held by an import. */
export const IMPORT_LOCK = 7_400_014
