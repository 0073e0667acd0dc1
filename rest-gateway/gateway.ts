/** The dependencies of the gateway, created by the process that serves. */
import type { Logger } from 'pino'
import type { Environment } from '../db/api-keys/key-format'
import type { KeyUses } from '../db/api-keys/key-uses'
import type { ReaderPool } from '../db/postgres/reader-pool'
import type { ReadCounts } from '../db/postgres/scoped-reader'
import type { LegacyCalls } from '../db/queries/legacy-calls'
import type { RateLimits } from './auth/rate-limits'
import type { ConnectionLimits } from './edge/connections'
import type { Cursors } from './read/cursors'
import type { Stages } from './stages'

export interface CompletedRequest {
  /** Undefined where no route matched. */
  operation: string | undefined
  status: number
  /** The error code. */
  code: string | undefined
  ms: number
  /** Milliseconds by stage. */
  stages: Stages['ms']
  /** Whether the request was shed. */
  shed: boolean
}

export interface Metrics {
  requestStarted(): void
  /** Called once for each request that started. */
  requestCompleted(request: CompletedRequest): void
}

/** The caller's span (W3C Trace Context). */
export interface TraceParent {
  traceId: string
  spanId: string
  isSampled: boolean
}

export interface TracedRequest extends CompletedRequest {
  method: string
  /** The path that matched, with `{id}` for a parameter. */
  route: string | undefined
  requestId: string
  graphqlOperation: string | undefined
  keyId: string | undefined
  parent: TraceParent | undefined
  /** When the request began, as `performance.now()` counts. */
  start: number
  begun: Stages['begun']
  reads: ReadCounts
}

export interface Traces {
  /** Called once for each request that completed. @returns the ids of its span */
  record(request: TracedRequest): { trace_id: string; span_id: string }
}

export interface Gateway {
  environment: Environment
  database: ReaderPool
  cursors: Cursors
  rates: RateLimits
  log: Logger
  metrics: Metrics
  /** Undefined unless traces are exported. */
  traces?: Traces | undefined
  limits: ConnectionLimits & {
    /** Mean delay of the event loop in each of two half seconds. */
    maxEventLoopDelayMs: number
    /** Bytes of large responses that are being sent. */
    maxUnsentBytes: number
  }
  /** Origins allowed by CORS. */
  origins: readonly string[]
  /** Host names with which /mcp can be called, `*` for any; undefined for the default of the environment. */
  mcpHosts: readonly string[] | undefined
  /** Returns the time, in milliseconds since 1970. */
  now(): number
  /** Returns whether the service is shutting down: responses then close their connections. */
  isStopping(): boolean
  /** When the partner interface became generally available, in milliseconds since 1970. */
  partnerGa: number | undefined
  /** The address of the service as its clients have it; if undefined, that of each request. */
  publicUrl: string | undefined
  /** An e-mail address or URL for questions of partners. */
  supportContact: string | undefined
  legacyCalls: LegacyCalls
  keyUses: KeyUses
}
