/** Before anything is timed: that all targets answer the same, byte for byte, and what each costs PostgreSQL in statements. */
import { Agent, request } from 'node:http'
import type { BenchRoute } from '../data/routes'
import { type Surroundings, start, type Target, type TargetName } from '../servers/targets'
import { Relay } from './statement-counter'

/** What was found out of a target about a route. */
export interface Finding {
  /** Of a body, on average; 0 for 304. */
  bytes: number
  /** A request, after the statements were prepared. */
  statements: number
  flights: number
  /** The requests as they are to be sent: with the entity tags of this target where they are conditional. */
  requests: string[]
}

/** By target and route; a target that does not serve a route has none. */
export type Findings = Map<TargetName, Map<string, Finding>>

export interface Answer {
  status: number
  etag: string | undefined
  body: Buffer
}

/** So many of a route's requests are compared. */
const COMPARED = 12

/** @throws Error that names the first difference */
export async function check(names: readonly TargetName[], routes: BenchRoute[], at: Surroundings): Promise<Findings> {
  const findings: Findings = new Map()
  const bodies = new Map<string, Buffer[]>()
  for (const name of names) {
    const relay = await Relay.open(at.database)
    let target: Target | undefined
    const found = new Map<string, Finding>()
    findings.set(name, found)
    try {
      target = await start(name, { ...at, database: relay.database })
      for (const route of routes) {
        const finding = await look(target, route, relay, bodies)
        if (finding) found.set(route.name, finding)
      }
    } finally {
      await target?.stop()
      relay.close()
    }
  }
  return findings
}

async function look(
  target: Target,
  route: BenchRoute,
  relay: Relay,
  bodies: Map<string, Buffer[]>,
): Promise<Finding | undefined> {
  const some = route.requests.slice(0, COMPARED)
  const first = await ask(target.port, some[0] as string)
  // A peer need not serve everything: what it does not know is left out of its column.
  if (first.status === 404 && target.name !== 'ours') return undefined
  const requests = route.conditional ? await tagged(target, route.requests) : route.requests
  if (!requests) return undefined
  const asked = requests.slice(0, COMPARED)
  const before = { ...relay.traffic }
  const answers: Answer[] = []
  for (const each of asked) answers.push(await ask(target.port, each))
  const wanted = route.conditional ? 304 : 200
  const wrong = answers.find(({ status }) => status !== wanted)
  if (wrong) throw new Error(`${target.name}, ${route.name}: ${wrong.status} instead of ${wanted}: ${wrong.body}`)
  const known = bodies.get(route.name)
  if (!known)
    bodies.set(
      route.name,
      answers.map(({ body }) => body),
    )
  else {
    const different = answers.findIndex(({ body }, i) => !body.equals(known[i] as Buffer))
    if (different >= 0) throw new Error(difference(target.name, route.name, known, answers, different))
  }
  const { statements, flights } = relay.traffic
  return {
    bytes: answers.reduce((sum, { body }) => sum + body.length, 0) / answers.length,
    statements: (statements - before.statements) / asked.length,
    flights: (flights - before.flights) / asked.length,
    requests,
  }
}

function difference(target: string, route: string, known: Buffer[], answers: Answer[], i: number): string {
  const [theirs, ours] = [answers[i]?.body.toString() ?? '', known[i]?.toString() ?? '']
  const at = [...ours].findIndex((char, place) => char !== theirs[place])
  const around = (text: string) => text.slice(Math.max(0, at - 60), at + 60)
  return `${target} answers ${route} otherwise:\n  ${around(ours)}\n  ${around(theirs)}`
}

/** The requests with the entity tags that the target gives for them; undefined where it gives none. */
async function tagged(target: Target, requests: string[]): Promise<string[] | undefined> {
  const known = new Map<string, string>()
  const all: string[] = []
  for (const each of requests) {
    if (!known.has(each)) {
      const { etag } = await ask(target.port, withTag(each, '"none"'))
      if (!etag) return undefined
      known.set(each, withTag(each, etag))
    }
    all.push(known.get(each) as string)
  }
  return all
}

const withTag = (text: string, etag: string): string => text.replace('\r\n\r\n', `\r\nIf-None-Match: ${etag}\r\n\r\n`)

const agent = new Agent({ keepAlive: true, maxSockets: 1 })

/** Sends a request as it would go over the wire. */
export function ask(port: number, text: string): Promise<Answer> {
  const [head, body] = text.split('\r\n\r\n') as [string, string]
  const [first, ...lines] = head.split('\r\n') as [string, ...string[]]
  const [method, path] = first.split(' ') as [string, string]
  const headers = Object.fromEntries(lines.map(line => line.split(/: (.*)/, 2)))
  return new Promise((resolve, reject) => {
    const asking = request({ agent, port, host: '127.0.0.1', method, path, headers }, response => {
      const pieces: Buffer[] = []
      response.on('data', piece => pieces.push(piece))
      response.on('error', reject)
      response.on('end', () =>
        resolve({ status: response.statusCode as number, etag: response.headers.etag, body: Buffer.concat(pieces) }),
      )
    })
    asking.on('error', reject)
    asking.end(body)
  })
}
