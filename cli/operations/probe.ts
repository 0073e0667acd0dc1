/** Finds out which of the registered services are running. */
import { hostname } from 'node:os'
import { MAX_AGE_SECONDS, type ServiceProcess } from '../../db/operations/service-processes'
import { READINESS } from '../../rest-gateway/paths'
import { reachableUrl } from '../serve/addresses'

/**
 * `ready` and `not_ready` are what its readiness check says. `unreachable`: it is on another machine from which it reports
 * that it is running, but it cannot be reached from here. `gone`: it was killed.
 */
type ServiceState = 'ready' | 'not_ready' | 'unreachable' | 'gone'

export interface ProbedService extends Omit<ServiceProcess, 'id' | 'age'> {
  state: ServiceState
}

const TIMEOUT_MS = 3_000

export async function probeService({ id: _id, age, ...service }: ServiceProcess): Promise<ProbedService> {
  const local = service.host === hostname()
  const answer = await askReadiness(reachableUrl(service.url, local ? undefined : service.host))
  const state = answer ?? (!local && age <= MAX_AGE_SECONDS ? 'unreachable' : 'gone')
  return { ...service, state }
}

/** Undefined where nothing answers, or something else than a service. */
async function askReadiness(url: string): Promise<'ready' | 'not_ready' | undefined> {
  try {
    const response = await fetch(`${url}${READINESS}`, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: 'error' })
    const text = await response.text()
    if (response.status === 200) return text.startsWith('ready') ? 'ready' : undefined
    return response.status === 503 ? 'not_ready' : undefined
  } catch (error) {
    return (error as Error).name === 'TimeoutError' ? 'not_ready' : undefined
  }
}
