/** What a request brings to the resolvers: the door through which it reads, as the key it presented, and the time. */
import type { Door } from '../db/connection'
import type { QueryResolvers } from '../schema/generated'
import { Loaders } from './loaders'

export class Context {
  private made: Loaders | undefined

  /** @param now milliseconds since 1970; only a sensor's health depends on it */
  constructor(
    readonly door: Door,
    readonly now: number,
  ) {}

  /** For what nests under lists. A fixed query has none, and makes none. */
  get loaders(): Loaders {
    this.made ??= new Loaders(this.door)
    return this.made
  }
}

/** The resolvers of what can be asked first. */
export type Query = Required<QueryResolvers<Context>>
