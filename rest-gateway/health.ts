/** The records of the health checks of load balancers: no key is needed. */
import type { Gateway } from './gateway'
import { LIVENESS, READINESS } from './paths'
import type { DocumentedRoute } from './record'

export interface HealthCheck extends DocumentedRoute {
  example: string
  /** Returns the body. @throws ApiError UNAVAILABLE */
  check(gateway: Gateway): Promise<string>
}

const READY = 'ready'

/** Reads go on with the last known state, in which a key that was revoked since is still valid. */
const WITHOUT_PRIMARY = 'ready, but the primary database does not answer'

export const HEALTH_CHECKS: HealthCheck[] = [
  {
    path: LIVENESS,
    operation: 'Health',
    tag: 'Health',
    summary: 'Check that the process is alive',
    description:
      'Returns `ok` and the version of the service while the process is alive, whether the database answers or not. Needs no API key.',
    parameters: [],
    example: 'ok 1.0.0',
    check: async ({ version }) => `ok ${version}`,
  },
  {
    path: READINESS,
    operation: 'Readiness',
    tag: 'Health',
    summary: 'Check that the service is ready',
    description:
      'Returns `ready` while the database answers, otherwise 503. Where the service reads from replicas, the text says whether the primary answers. Needs no API key.',
    parameters: [],
    example: READY,
    async check({ database }) {
      await database.ping()
      return database.isBounded ? READY : WITHOUT_PRIMARY
    },
  },
]
