/** Paths that middleware treats differently from all others. */

/** Ad hoc queries of analysts. */
export const GRAPHQL = '/graphql'

/** The partner routes as tools of assistants. */
export const MCP = '/mcp'

/** Whether the process is alive. */
export const LIVENESS = '/healthz'

/** Whether the process can serve. */
export const READINESS = '/readyz'

/**
 * Returns whether a path belongs to an interface that reads data. All others are pages and their files, which are in
 * memory.
 */
export const isApi = (path: string): boolean => path === GRAPHQL || path === MCP || path.startsWith('/v1/')

/** The prefix of all paths of the legacy interface. */
const LEGACY_PREFIX = '/v1/metrics/'

/** Returns whether a path belongs to the legacy interface. */
export const isLegacy = (path: string): boolean => `${path}/`.startsWith(LEGACY_PREFIX)
