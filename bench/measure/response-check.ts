/** Checks before the measurements that all targets send the same bodies. */
import type { BenchRoute } from '../data/routes'
import type { Target, TargetName } from '../servers/targets'
import { type Response, sendRequest } from './send-request'

/** The result of the check for one target and route. */
export interface CheckedRoute {
  /** Mean size of a body; 0 for 304. */
  bytes: number
  /** The requests as they are to be sent to this target: conditional ones carry its entity tags. */
  requests: string[]
}

/** By target and route. Routes that a target does not serve are missing. */
export type CheckedRoutes = Map<TargetName, Map<string, CheckedRoute>>

/** The number of requests of each route that are compared. */
const COMPARED = 12

/** @throws Error with the first difference */
export async function checkResponses(targets: readonly Target[], routes: BenchRoute[]): Promise<CheckedRoutes> {
  const checked: CheckedRoutes = new Map()
  const expected = new Map<string, Buffer[]>()
  for (const target of targets) {
    const ofTarget = new Map<string, CheckedRoute>()
    checked.set(target.name, ofTarget)
    for (const route of routes) {
      const result = await checkRoute(target, route, expected)
      if (result) ofTarget.set(route.name, result)
    }
  }
  return checked
}

async function checkRoute(
  target: Target,
  route: BenchRoute,
  expected: Map<string, Buffer[]>,
): Promise<CheckedRoute | undefined> {
  const first = await sendRequest(target.port, route.requests[0]!)
  // A peer need not have all routes.
  if (first.status === 404 && target.name !== 'service') return undefined
  const requests = route.conditional ? await withEntityTags(target, route.requests) : route.requests
  if (!requests) return undefined
  const compared = requests.slice(0, COMPARED)
  const responses: Response[] = []
  for (const request of compared) responses.push(await sendRequest(target.port, request))
  const status = route.conditional ? 304 : 200
  const wrong = responses.find(response => response.status !== status)
  if (wrong) throw new Error(`${target.name}, ${route.name}: ${wrong.status} instead of ${status}: ${wrong.body}`)
  const bodies = responses.map(({ body }) => body)
  compare(target.name, route.name, bodies, expected.get(route.name) ?? bodies)
  expected.set(route.name, bodies)
  return {
    bytes: bodies.reduce((sum, { length }) => sum + length, 0) / bodies.length,
    requests,
  }
}

/** @throws Error with an excerpt of the first body that differs */
function compare(target: string, route: string, bodies: Buffer[], expected: Buffer[]): void {
  const different = bodies.findIndex((body, i) => !body.equals(expected[i]!))
  if (different < 0) return
  const [actual, wanted] = [String(bodies[different]), String(expected[different])]
  const at = [...wanted].findIndex((char, i) => char !== actual[i])
  const excerpt = (text: string) => text.slice(Math.max(0, at - 60), at + 60)
  throw new Error(`${target} sends another body for ${route}:\n  ${excerpt(wanted)}\n  ${excerpt(actual)}`)
}

/** The requests with If-None-Match and the target's entity tags; undefined if it sends none. */
async function withEntityTags(target: Target, requests: string[]): Promise<string[] | undefined> {
  const byRequest = new Map<string, string>()
  for (const request of requests) {
    if (byRequest.has(request)) continue
    const { etag } = await sendRequest(target.port, ifNoneMatch(request, '"none"'))
    if (!etag) return undefined
    byRequest.set(request, ifNoneMatch(request, etag))
  }
  return requests.map(request => byRequest.get(request)!)
}

const ifNoneMatch = (request: string, etag: string): string =>
  request.replace('\r\n\r\n', `\r\nIf-None-Match: ${etag}\r\n\r\n`)
