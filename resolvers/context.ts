/** What a request brings to the resolvers: the door through which it reads, as the key it presented, and the time. */
import type { Door } from '../db/connection'
import type { QueryResolvers } from '../schema/generated'

export interface Context {
  door: Door
  /** Milliseconds since 1970. Only a sensor's health depends on it. */
  now: number
}

/** The resolvers of what can be asked first. */
export type Query = Required<QueryResolvers<Context>>
