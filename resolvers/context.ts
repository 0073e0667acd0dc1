/** What a request brings to the resolvers: the door through which it reads, as the key it presented, and the time. */
import type { Door } from '../db/connection'
import { type DataVersion, type Held, NOTHING_HELD } from '../db/data-versions'
import type { QueryResolvers } from '../schema/generated'
import { Loaders } from './loaders'
import type { PageForm } from './pages'
import type { RoomyRows } from './roomy-rows'
import type { RowKeys } from './row-bytes'

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
   * @param held what the caller has of this answer already
   * @param rowForm how a fixed query wants its rows, where it wants them as bytes
   */
  constructor(
    readonly door: Door,
    readonly now: number,
    readonly held: Held = NOTHING_HELD,
    readonly rowForm?: RowForm,
  ) {}

  /** Takes note of the version of what was read. @throws NotModified where the caller holds it, so that nothing was */
  note<Read extends DataVersion>(read: Read | undefined): Read | undefined {
    this.version = read
    if (read?.held) throw new NotModified()
    return read
  }

  /** For what nests under lists. A fixed query has none, and makes none. */
  get loaders(): Loaders {
    this.made ??= new Loaders(this.door)
    return this.made
  }
}

/** The caller holds the answer already. */
export class NotModified extends Error {}

/** The resolvers of what can be asked first. */
export type Query = Required<QueryResolvers<Context>>
