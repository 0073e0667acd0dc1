/** The context of a request: the scoped reader, the time, and how much may be read. */

import type { Environment } from '../db/api-keys/key-format'
import type { Rate } from '../db/api-keys/rate'
import type { ScopedReader } from '../db/postgres/scoped-reader'
import type { Methodology, QueryResolvers } from '../schema/generated'
import { MAX_GAPS, MAX_ROWS } from './limits/rows'
import { Loaders } from './loaders'
import type { GapBudget } from './series/gaps'

/** Encrypts positions in lists, which callers keep for the service. */
export interface CursorIssuer {
  issue(list: string, position: string): string
  /** @throws ApiError INVALID_CURSOR for what was not issued for this list */
  open(list: string, cursor: string): string
}

/** The parts of the service that answers a request. */
interface Service {
  cursors: CursorIssuer
  environment: Environment
  rates: { defaultRate: Rate }
  methodology: Methodology
}

interface ContextOptions {
  /** Awaited by loaders. */
  nextTurn?: (() => Promise<void>) | undefined
  service: Service
  /** The most rows of a response of REST; undefined for an ad hoc query. */
  maxRows?: number
  /** Whether the caller is an analyst, who sees internal notes. */
  isInternal?: boolean
}

export class Context {
  /** The most rows of a list that is not paged. */
  readonly maxRows: number
  readonly service: Service
  readonly isInternal: boolean
  private readonly nextTurn: ContextOptions['nextTurn']
  private readonly gapsOfAll: GapBudget | undefined
  private createdLoaders: Loaders | undefined

  /** @param now milliseconds since 1970; only the health of sensors depends on it */
  constructor(
    readonly reader: ScopedReader,
    readonly now: number,
    { nextTurn, service, maxRows, isInternal = false }: ContextOptions,
  ) {
    this.nextTurn = nextTurn
    this.service = service
    this.isInternal = isInternal
    this.maxRows = maxRows ?? MAX_ROWS
    this.gapsOfAll = maxRows === undefined ? undefined : { max: maxRows, left: maxRows }
  }

  /** The gaps that an asset may have: those of all assets in REST, where they are one list. */
  get gapBudget(): GapBudget {
    return this.gapsOfAll ?? { max: MAX_GAPS, left: MAX_GAPS }
  }

  /** For fields nested under lists. Most persisted queries have none. */
  get loaders(): Loaders {
    this.createdLoaders ??= new Loaders(this.reader, this.nextTurn)
    return this.createdLoaders
  }
}

/** The resolvers of the root fields. */
export type Query = Required<QueryResolvers<Context>>
