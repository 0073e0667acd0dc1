/** The context of a request: the scoped reader, the time, and how much may be read. */

import type { Environment } from '../db/api-keys/key-format'
import type { Rate } from '../db/api-keys/rate'
import type { ScopedReader } from '../db/postgres/scoped-reader'
import type { QueryResolvers } from '../schema/generated'
import { MAX_GAPS, MAX_ROWS } from './limits/rows'
import { Loaders } from './loaders'
import type { GapBudget } from './series/gaps'

/** Encrypts what callers keep for the service. */
export interface Sealer {
  seal(text: string): string
  /** Undefined for what was not sealed by the service. */
  unseal(sealed: string): string | undefined
}

/** The parts of the service that answers a request. */
interface Service {
  cursors: Sealer
  environment: Environment
  rates: { defaultRate: Rate }
}

interface ContextOptions {
  /** Awaited by loaders. */
  nextTurn?: (() => Promise<void>) | undefined
  /** Undefined for queries that are executed outside of it. */
  service?: Service
  /** The most rows of a response of REST; undefined for an ad hoc query. */
  maxRows?: number
  /** Whether the caller is an analyst, who sees internal notes. */
  isInternal?: boolean
}

const NO_SEALER: Sealer = { seal: text => text, unseal: text => text }

export class Context {
  /** The most rows of a list that is not paged. */
  readonly maxRows: number
  readonly service: Service | undefined
  readonly isInternal: boolean
  private readonly nextTurn: ContextOptions['nextTurn']
  private readonly gapsOfAll: GapBudget | undefined
  private createdLoaders: Loaders | undefined

  /** @param now milliseconds since 1970; only the health of sensors depends on it */
  constructor(
    readonly reader: ScopedReader,
    readonly now: number,
    { nextTurn, service, maxRows, isInternal = false }: ContextOptions = {},
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

  /** Encrypts positions in the feed of changes. */
  get sealer(): Sealer {
    return this.service?.cursors ?? NO_SEALER
  }

  /** For fields nested under lists. Most persisted queries have none. */
  get loaders(): Loaders {
    this.createdLoaders ??= new Loaders(this.reader, this.nextTurn)
    return this.createdLoaders
  }
}

/** The resolvers of the root fields. */
export type Query = Required<QueryResolvers<Context>>
