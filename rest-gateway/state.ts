/** Types of Koa with the state of this service: what middleware and routes share about a request. */
import type Koa from 'koa'
import type { Lease } from '../db/postgres/fair-queue'
import type { PresentedKey, ReadCounts } from '../db/postgres/scoped-reader'
import type { ApiError } from '../schema/errors'

/** The stages of a request in order, as Server-Timing and the metrics name them. One that fails ends in the stage that it has reached. */
type Stage = 'read' | 'execute' | 'shape' | 'send'

export class Stages {
  /** Milliseconds of each stage that was reached. */
  readonly ms: Partial<Record<Stage, number>> = {}
  /** When each of them began, as `performance.now()` counts. */
  readonly begun: Partial<Record<Stage, number>> = {}
  private current: Stage | undefined

  /** Begins a stage, which ends the one before. */
  begin(stage: Stage): void {
    const now = performance.now()
    this.end(now)
    this.current = stage
    this.begun[stage] = now
  }

  end(now = performance.now()): void {
    if (this.current) this.ms[this.current] = now - this.begun[this.current]!
    this.current = undefined
  }
}

/** A received body, or the error to report once the key is verified. */
export interface ReceivedBody {
  text?: string
  error?: ApiError
}

export interface RequestState {
  requestId: string
  stages: Stages
  reads: ReadCounts
  /** The label in logs and metrics; undefined where no path matched. */
  operation?: string
  /** The path that matched, with `{id}` for a parameter. */
  route?: string
  /** Identifies the caller to the queue for connections. */
  caller: string
  /** The connection for which it has waited. */
  lease?: Lease
  /** The key, once it has been verified. */
  key?: PresentedKey
  received?: ReceivedBody
  graphqlOperation?: string
  tool?: string
  errorCode?: string
  /** The condition of the database that caused it, if only the operator can change it. */
  reason?: string | undefined
  /** Whether the request was refused because of overload. */
  shed?: boolean
}

export type KoaContext = Koa.ParameterizedContext<RequestState>

export type Middleware = Koa.Middleware<RequestState>
