/** What a request brings to the resolvers: the reader through which it reads, as the key it presented, and the time. */
import type { ScopedReader } from '../db/postgres/scoped-reader'
import { type DataVersion, NO_PRECONDITION, type Precondition } from '../db/queries/data-versions'
import type { QueryResolvers } from '../schema/generated'
import type { PageForm } from './limits/pages'
import { Loaders } from './loaders'
import type { RoomyRows } from './series/raw-json'
import type { RowKeys } from './series/series-json'

/** How a fixed query wants its rows, where it wants them as bytes: those of a series, or those of a page. */
export interface RowForm {
  series?: RowKeys
  page?: PageForm
}

export class Context {
  /** Of what the answer is told from, where that has one. */
  version: DataVersion | undefined

  /** The rows of a fixed query that wants them as bytes. */
  rowBytes: RoomyRows | undefined

  private made: Loaders | undefined

  /**
   * @param now milliseconds since 1970; only a sensor's health depends on it
   * @param precondition what the caller has of this answer already
   * @param rowForm how a fixed query wants its rows, where it wants them as bytes
   */
  constructor(
    readonly reader: ScopedReader,
    readonly now: number,
    readonly precondition: Precondition = NO_PRECONDITION,
    readonly rowForm?: RowForm,
  ) {}

  /** Takes note of the version of what was read. @throws NotModified where the caller holds it, so that nothing was */
  note<Read extends DataVersion>(read: Read | undefined): Read | undefined {
    this.version = read
    if (read?.matches) throw new NotModified()
    return read
  }

  /** For what nests under lists. A fixed query has none, and makes none. */
  get loaders(): Loaders {
    this.made ??= new Loaders(this.reader)
    return this.made
  }
}

/** The caller holds the answer already. */
export class NotModified extends Error {}

/** The resolvers of what can be asked first. */
export type Query = Required<QueryResolvers<Context>>
