/** The records of the health checks of load balancers: no key is needed. */
import type { Gateway } from './gateway'
import { LIVENESS, READINESS } from './paths'
import type { DocumentedRoute } from './record'

export interface HealthCheck extends DocumentedRoute {
  /** The bodies of successful responses, as plain text; the usual one comes first. */
  responses: readonly [string, ...string[]]
  /** Returns one of the responses. @throws ApiError UNAVAILABLE */
  check(gateway: Gateway): Promise<string>
}

const ALIVE = 'ok'

const READY = 'ready'

/** Reads go on with the last known state, in which a key that was revoked since is still valid. */
const WITHOUT_PRIMARY = 'ready, but the primary database does not answer'

export const HEALTH_CHECKS: HealthCheck[] = [
  {
    path: LIVENESS,
    operation: 'Health',
    tag: 'Health',
    summary: 'Check that the process is alive',
    description: 'Returns `ok` while the process is alive, whether the database answers or not. Needs no API key.',
    parameters: [],
    responses: [ALIVE],
    check: async () => ALIVE,
  },
  {
    path: READINESS,
    operation: 'Readiness',
    tag: 'Health',
    summary: 'Check that the service is ready',
    description:
      'Returns `ready` while the database answers, otherwise 503. Where the service reads from replicas, the text says whether the primary answers. Needs no API key.',
    parameters: [],
    responses: [READY, WITHOUT_PRIMARY],
    async check({ database }) {
      await database.ping()
      return database.isBounded ? READY : WITHOUT_PRIMARY
    },
  },
]
