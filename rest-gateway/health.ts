/** The health checks of load balancers: no key is needed. */
import { ApiError } from '../schema/errors'
import type { Gateway } from './gateway'
import { LIVENESS, READINESS } from './paths'

interface HealthCheck {
  /** Its label in logs and metrics. */
  operation: string
  path: string
  /** @throws ApiError UNAVAILABLE */
  check(): Promise<string>
}

export function healthChecks({ database }: Gateway): HealthCheck[] {
  return [
    {
      operation: 'Health',
      path: LIVENESS,
      check: async () => {
        const outage = await database.describeOutage()
        if (outage) throw new ApiError('UNAVAILABLE', {}, outage)
        return 'ok'
      },
    },
    {
      operation: 'Readiness',
      path: READINESS,
      check: async () => {
        await database.ping()
        return 'ready'
      },
    },
  ]
}
