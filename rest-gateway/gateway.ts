/** The dependencies of the gateway, created by the process that serves. */
import type { ReaderPool } from '../db/postgres/reader-pool'
import type { Methodology } from '../schema/generated'
import type { ConnectionLimits } from './edge/connections'
import type { LegacyInterface } from './edge/deprecation'
import type { LoadLimits } from './edge/overload'
import type { RateLimits } from './edge/rates'
import type { Observers } from './edge/request-log'
import type { Cursors } from './read/cursors'

export interface Gateway extends LegacyInterface, Observers {
  version: string
  database: ReaderPool
  cursors: Cursors
  rates: RateLimits
  limits: ConnectionLimits & LoadLimits
  /** The address of the service as its clients have it; if undefined, that of each request. */
  publicUrl: string | undefined
  /** An e-mail address or URL for questions of partners. */
  supportContact: string | undefined
  methodology: Methodology
}
