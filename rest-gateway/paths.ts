/** Paths that middleware treats differently from all others. */

/** Ad hoc queries of analysts. */
export const GRAPHQL = '/graphql'

/** Whether the process is alive. */
export const LIVENESS = '/healthz'

/** Whether the process can serve. */
export const READINESS = '/readyz'
