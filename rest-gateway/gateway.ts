/** What the gateway works with: made once by whoever starts it. */
import type { Logger } from 'pino'
import type { Environment } from '../db/api-keys/key-format'
import type { ReaderPool } from '../db/postgres/scoped-reader'
import type { LegacyCalls } from '../db/queries/legacy-calls'
import type { LoadLimits } from './admission/admission'
import type { FairScheduler } from './admission/fair-scheduler'
import type { Tarpit } from './admission/tarpit'
import type { RateLimits } from './auth/rate-limits'
import type { Cursors } from './routes/cursors'

/** A request that was answered. */
export interface Answered {
  /** Undefined where nothing that we serve was asked for. */
  operation: string | undefined
  status: number
  /** Of an error. */
  code: string | undefined
  ms: number
  /** Whether it was turned away because there was too much to do. */
  shed: boolean
}

/** What counts requests, for whoever watches over the service. */
export interface Metrics {
  began(): void
  /** Each that began is told once. */
  answered(answered: Answered): void
}

export interface Gateway {
  environment: Environment
  /** Names the code that makes the answers. */
  release: string
  database: ReaderPool
  cursors: Cursors
  rates: RateLimits
  log: Logger
  metrics: Metrics
  limits: LoadLimits
  scheduler: FairScheduler
  tarpit: Tarpit
  /** Origins whose pages may ask from a browser. */
  origins: readonly string[]
  /** The time, in milliseconds since 1970. */
  now(): number
  /** Whether the service is about to end: its clients had better know before they ask again on the same connection. */
  isStopping(): boolean
  /** When the partner interface became generally available, in milliseconds since 1970. */
  partnerGa: number | undefined
  legacyCalls: LegacyCalls
}
