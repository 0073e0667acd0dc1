/**
 * The load generator: a process that runs one job after the other. Each connection sends the next request of the job as soon
 * as it has received a response.
 */
import { type Observer, run as runConnection } from './connection'

export interface Job {
  port: number
  connections: number
  /** The number of requests before those that are measured. */
  warmUp: number
  /** Measured seconds. */
  seconds: number
  /** Requests as sent on the wire, used in turn. */
  requests: string[]
}

export interface Figures {
  requests: number
  seconds: number
  /** Responses by status. */
  statuses: Record<string, number>
}

/** Messages to the parent process: the warm-up is over; the job is done; the job failed. */
export type Report = { started: true } | { figures: Figures } | { error: string }

async function run(job: Job, report: (report: Report) => void): Promise<Figures> {
  const requests = job.requests.map(request => Buffer.from(request, 'latin1'))
  const statuses: Record<string, number> = {}
  let [next, responses, from, until] = [0, 0, 0, 0]
  const begin = () => {
    report({ started: true })
    from = performance.now()
    setTimeout(() => {
      until = performance.now()
    }, job.seconds * 1000)
  }
  const observer: Observer = {
    next: () => (until > 0 ? undefined : requests[next++ % requests.length]),
    responded(status) {
      if (until === 0 && from > 0) statuses[status] = (statuses[status] ?? 0) + 1
      if (++responses === job.warmUp) begin()
    },
  }
  await Promise.all(Array.from({ length: job.connections }, () => runConnection(job.port, observer)))
  const count = Object.values(statuses).reduce((sum, each) => sum + each, 0)
  return { requests: count, seconds: (until - from) / 1000, statuses }
}

process.on('message', (job: Job) => {
  const report = (message: Report) => process.send?.(message)
  run(job, report).then(
    figures => report({ figures }),
    error => report({ error: String(error) }),
  )
})
process.on('disconnect', () => process.exit())
