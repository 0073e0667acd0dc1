/**
 * The load generator: a process that runs one job after the other. Each connection sends the next request of the job as soon
 * as it has received a response.
 */
import { type Observer, run as runConnection } from './connection'

export interface Job {
  port: number
  connections: number
  /** Measured seconds, after a warm-up. */
  seconds: number
  warmUp: number
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
  let [next, count, isMeasuring, isDone] = [0, 0, false, false]
  const observer: Observer = {
    next: () => (isDone ? undefined : requests[next++ % requests.length]),
    responded(status) {
      if (!isMeasuring) return
      statuses[status] = (statuses[status] ?? 0) + 1
      count++
    },
  }
  let from = 0
  const begin = setTimeout(() => {
    report({ started: true })
    isMeasuring = true
    from = performance.now()
  }, job.warmUp * 1000)
  let until = 0
  const end = setTimeout(
    () => {
      until = performance.now()
      isMeasuring = false
      isDone = true
    },
    (job.warmUp + job.seconds) * 1000,
  )
  try {
    await Promise.all(Array.from({ length: job.connections }, () => runConnection(job.port, observer)))
  } finally {
    clearTimeout(begin)
    clearTimeout(end)
  }
  return {
    requests: count,
    seconds: (until - from) / 1000,
    statuses,
  }
}

process.on('message', (job: Job) => {
  const report = (message: Report) => process.send?.(message)
  run(job, report).then(
    figures => report({ figures }),
    error => report({ error: String(error) }),
  )
})
process.on('disconnect', () => process.exit())
