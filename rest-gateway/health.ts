/** The health checks of load balancers: no key is needed. */
import type { Gateway } from './gateway'

/** Whether the process is alive, and whether it can serve. */
export const HEALTH_PATHS = ['/healthz', '/readyz']

interface HealthCheck {
  /** Its label in logs and metrics. */
  operation: string
  path: string
  /** @throws ApiError UNAVAILABLE */
  check(): Promise<string>
}

export function healthChecks({ database }: Gateway): HealthCheck[] {
  return [
    { operation: 'Health', path: '/healthz', check: async () => 'ok' },
    {
      operation: 'Readiness',
      path: '/readyz',
      check: async () => {
        await database.ping()
        return 'ready'
      },
    },
  ]
}
