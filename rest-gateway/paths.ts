/** Paths that middleware treats differently from all others. */

export const GRAPHQL = '/graphql'
export const MCP = '/mcp'
export const LIVENESS = '/healthz'
export const READINESS = '/readyz'

/** Returns whether a path belongs to an interface that reads data. All others are pages and their files, which are in memory. */
export const isApi = (path: string): boolean => path === GRAPHQL || path === MCP || path.startsWith('/v1/')

const LEGACY_PREFIX = '/v1/metrics/'

export const isLegacy = (path: string): boolean => `${path}/`.startsWith(LEGACY_PREFIX)
