/** Checks before the measurements that all targets send the same bodies. */
import type { BenchRoute } from '../data/routes'
import type { Target } from '../servers/targets'
import { sendRequest } from './send-request'

/** The number of requests of each route that are compared. */
const COMPARED = 12

/** Returns the mean size of a body, by route. @throws Error with the first difference */
export async function checkResponses(targets: readonly Target[], routes: BenchRoute[]): Promise<Map<string, number>> {
  const sizes = new Map<string, number>()
  for (const { name: route, requests } of routes) {
    const compared = requests.slice(0, COMPARED)
    let size = 0
    for (const request of compared) {
      let expected: string | undefined
      for (const { name, port } of targets) {
        const { status, body } = await sendRequest(port, request)
        const text = String(body)
        if (status !== 200) throw new Error(`${name}, ${route}: ${status} instead of 200: ${text}`)
        expected ??= text
        if (text !== expected) throw new Error(`${name} sends another body for ${route}:\n  ${expected}\n  ${text}`)
        size += body.length / compared.length / targets.length
      }
    }
    sizes.set(route, size)
  }
  return sizes
}
