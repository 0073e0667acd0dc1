/** The service on a few days of the demo, which is what pages, samples and clients show. */
import type { DemoKey } from '../../db/seeds/demo/keys'
import { loadDemo } from '../../db/seeds/demo/load'
import { Service, type ServiceOptions } from './service'

/** A week, and a day more. */
const FEW_DAYS = 8

export interface DemoService {
  service: Service
  /** The demo's key of a kind, the first one where there are several. */
  keyOf(kind: DemoKey['kind']): string
}

export async function startDemo(options: ServiceOptions = {}, days = FEW_DAYS): Promise<DemoService> {
  const service = await Service.start(options)
  const { keys } = await loadDemo(service.owner, 'dev', (options.now ?? Date.now)() / 1000, days)
  return { service, keyOf: kind => (keys.find(key => key.kind === kind) as DemoKey).key }
}
