/** How the load balancer sees that the service is well, without a key. */
import type { Gateway } from './gateway'

/** That the process is alive, and that it is ready to serve. */
export const HEALTH = ['/healthz', '/readyz']

interface Open {
  /** What it is called in logs and metrics. */
  operation: string
  path: string
  answer(): Promise<string>
}

export function openPaths({ database }: Gateway): Open[] {
  return [
    { operation: 'Health', path: '/healthz', answer: async () => 'ok' },
    {
      operation: 'Readiness',
      path: '/readyz',
      answer: async () => {
        await database.ping()
        return 'ready'
      },
    },
  ]
}
