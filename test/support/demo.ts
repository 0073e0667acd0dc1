/** The service with a few days of the demo, as documents, examples and clients use it. */
import { type DemoKey, loadDemo } from '../../db/seeds/demo/load'
import { Service, type ServiceOptions } from './service'

/** A week and a day. */
const DAYS = 8

export interface DemoService {
  service: Service
  /** Returns the first key of a kind. */
  keyOf(kind: DemoKey['kind']): string
}

export async function startDemo(options: ServiceOptions = {}, days = DAYS): Promise<DemoService> {
  const service = await Service.start(options)
  const { keys } = await loadDemo(service.owner, 'dev', (options.now ?? Date.now)() / 1000, days)
  return { service, keyOf: kind => (keys.find(key => key.kind === kind) as DemoKey).key }
}
