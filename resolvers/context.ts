/** The context of a request: the scoped reader, the time, and the version of the data that the caller has cached. */

import type { Environment } from '../db/api-keys/key-format'
import type { Rate } from '../db/api-keys/rate'
import type { ScopedReader } from '../db/postgres/scoped-reader'
import { NO_PRECONDITION, type Precondition } from '../db/queries/data-versions'
import type { QueryResolvers } from '../schema/generated'
import { Loaders } from './loaders'
import { type GapBudget, MAX_GAPS } from './series/gaps'

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

const NO_SEALER: Sealer = { seal: text => text, unseal: text => text }

export class Context {
  /** The gaps that all assets of the request may have together. */
  readonly gapBudget: GapBudget = { left: MAX_GAPS }

  private createdLoaders: Loaders | undefined

  /**
   * @param now milliseconds since 1970; only the health of sensors depends on it
   * @param precondition the version that the caller has cached: what has not changed is not read
   * @param nextTurn awaited by loaders
   * @param service undefined for queries that are executed outside of it
   * @param isInternal whether the caller is an analyst, who sees internal notes
   */
  constructor(
    readonly reader: ScopedReader,
    readonly now: number,
    readonly precondition: Precondition = NO_PRECONDITION,
    private readonly nextTurn?: () => Promise<void>,
    readonly service?: Service,
    readonly isInternal = false,
  ) {}

  /** Encrypts positions in the feed of changes. */
  get sealer(): Sealer {
    return this.service?.cursors ?? NO_SEALER
  }

  /** For fields nested under lists. Most persisted queries have none. */
  get loaders(): Loaders {
    this.createdLoaders ??= new Loaders(this.reader, this.nextTurn, this.isInternal)
    return this.createdLoaders
  }
}

/** The resolvers of the root fields. */
export type Query = Required<QueryResolvers<Context>>
