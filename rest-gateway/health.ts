/** The records of the health checks of load balancers: no key is needed. */
import { ApiError, type ErrorCode } from '../schema/errors'
import type { Gateway } from './gateway'
import { LIVENESS, READINESS } from './paths'
import type { DocumentedRoute } from './routes/record'

export interface HealthCheck extends DocumentedRoute {
  /** The body of a successful response, as plain text. */
  response: string
  errors: ErrorCode[]
  /** @throws ApiError UNAVAILABLE */
  check(gateway: Gateway): Promise<void>
}

export const HEALTH_CHECKS: HealthCheck[] = [
  {
    path: LIVENESS,
    operation: 'Health',
    tag: 'Health',
    summary: 'Check that the process is alive',
    description:
      'Returns `ok` while the process is alive and can recover by itself, otherwise 503 with the reason. Needs no API key.',
    parameters: [],
    response: 'ok',
    errors: ['UNAVAILABLE'],
    async check({ database }) {
      const outage = await database.describeOutage()
      if (outage) throw new ApiError('UNAVAILABLE', {}, outage)
    },
  },
  {
    path: READINESS,
    operation: 'Readiness',
    tag: 'Health',
    summary: 'Check that the service is ready',
    description: 'Returns `ready` while the database answers, otherwise 503. Needs no API key.',
    parameters: [],
    response: 'ready',
    errors: ['UNAVAILABLE'],
    check: ({ database }) => database.ping(),
  },
]
