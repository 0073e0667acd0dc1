/**
 * The load generator: a process of its own, pinned away from the server, that is given one job after the other. Each
 * connection asks for the next of the job's requests as soon as it was answered.
 */
import { type Observer, run } from './connection'

export interface Job {
  port: number
  connections: number
  /** Seconds that count, after a warm-up that does not. */
  seconds: number
  warmUp: number
  /** Requests as they go over the wire, asked for in turn. */
  requests: string[]
}

export interface Figures {
  requests: number
  seconds: number
  /** Answers by status. */
  statuses: Record<string, number>
  /** Of all bodies. */
  bytes: number
  /** Milliseconds. */
  p50: number
  p99: number
  /** Milliseconds of CPU that the generator itself used. */
  cpu: number
}

/** What the generator tells: that what counts begins, then what it came to. */
export type Report = { began: true } | { figures: Figures } | { fault: string }

async function work(job: Job, tell: (report: Report) => void): Promise<Figures> {
  const requests = job.requests.map(request => Buffer.from(request, 'latin1'))
  const statuses: Record<string, number> = {}
  const latencies: number[] = []
  let [turn, bytes, counting, done] = [0, 0, false, false]
  const observer: Observer = {
    next: () => (done ? undefined : requests[turn++ % requests.length]),
    answered(status, size, milliseconds) {
      if (!counting) return
      statuses[status] = (statuses[status] ?? 0) + 1
      bytes += size
      latencies.push(milliseconds)
    },
  }
  let [from, cpu] = [0, process.cpuUsage()]
  const begin = setTimeout(() => {
    tell({ began: true })
    counting = true
    from = performance.now()
    cpu = process.cpuUsage()
  }, job.warmUp * 1000)
  let until = 0
  const end = setTimeout(
    () => {
      until = performance.now()
      cpu = process.cpuUsage(cpu)
      counting = false
      done = true
    },
    (job.warmUp + job.seconds) * 1000,
  )
  try {
    await Promise.all(Array.from({ length: job.connections }, () => run(job.port, observer)))
  } finally {
    clearTimeout(begin)
    clearTimeout(end)
  }
  latencies.sort((a, b) => a - b)
  const at = (part: number) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * part))] ?? 0
  return {
    requests: latencies.length,
    seconds: (until - from) / 1000,
    statuses,
    bytes,
    p50: at(0.5),
    p99: at(0.99),
    cpu: (cpu.user + cpu.system) / 1000,
  }
}

process.on('message', (job: Job) => {
  const tell = (report: Report) => process.send?.(report)
  work(job, tell).then(
    figures => tell({ figures }),
    error => tell({ fault: String(error) }),
  )
})
process.on('disconnect', () => process.exit())
