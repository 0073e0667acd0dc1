/**
 * A process with partners as they are in production: some keep their connection, one opens a new one for each request. The
 * parent process starts and ends each measurement.
 */
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

export interface PartnerOrder {
  url: string
  /** Each is a partner. The first has another client, which opens new connections. */
  keys: string[]
  /** Requested in turn. */
  paths: string[]
  /** Between a response and the next request. */
  pauseMs: number
}

export interface PartnerFigures {
  /** Responses by status; 0 where the connection failed. */
  statuses: Record<string, number>
  /** Milliseconds. */
  p50: number
  p99: number
}

let times: number[] = []
let statuses: Record<string, number> = {}

const fetchStatus = (url: URL, key: string, agent: Agent | false): Promise<number> =>
  new Promise(resolve => {
    const sent = request(url, { agent, headers: { 'X-API-Key': key } })
    sent.setTimeout(30_000, () => sent.destroy())
    sent.on('error', () => resolve(0))
    sent.on('response', response => {
      response.on('error', () => resolve(0))
      response.on('end', () => resolve(response.statusCode as number)).resume()
    })
    sent.end()
  })

async function runPartner({ url, paths, pauseMs }: PartnerOrder, key: string, agent: Agent | false): Promise<never> {
  for (let i = 0; ; i++) {
    const started = performance.now()
    const status = await fetchStatus(new URL(paths[i % paths.length] as string, url), key, agent)
    times.push(performance.now() - started)
    statuses[status] = (statuses[status] ?? 0) + 1
    await sleep(pauseMs)
  }
}

function figures(): PartnerFigures {
  const sorted = times.toSorted((a, b) => a - b)
  const quantile = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN
  return { statuses, p50: quantile(0.5), p99: quantile(0.99) }
}

process.on('message', (message: PartnerOrder | 'start' | 'end') => {
  if (message === 'end') process.send?.(figures())
  else if (message === 'start') {
    times = []
    statuses = {}
  } else {
    for (const key of message.keys) void runPartner(message, key, new Agent({ keepAlive: true, maxSockets: 1 }))
    void runPartner(message, message.keys[0] as string, false)
  }
})
process.on('disconnect', () => process.exit())
