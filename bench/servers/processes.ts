/** Processes that are measured: started on CPUs of their own, and what they use, read from /proc. */
import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

const hasTaskset = spawnSync('taskset', ['-V']).status === 0

/** A command line that keeps its process on these CPUs (a list as taskset takes it), where that can be done. */
export const pinned = (cpus: string | undefined, command: string[]): string[] =>
  hasTaskset && cpus !== undefined ? ['taskset', '-c', cpus, ...command] : command

/** Keeps all threads of a running process, and all that it starts from now on, on these CPUs. */
export function pin(pid: number, cpus: string | undefined): void {
  if (hasTaskset && cpus !== undefined) execFileSync('taskset', ['-acp', cpus, String(pid)], { stdio: 'ignore' })
}

/** Which CPUs are whose. */
export interface Layout {
  server: string | undefined
  postgres: string | undefined
  generator: string | undefined
}

/** The server has a CPU to itself; PostgreSQL has the others, and leaves one to the generator where there are four. */
export function layout(): Layout {
  const cpus = hasTaskset ? allowedCpus() : []
  if (cpus.length < 2) return { server: undefined, postgres: undefined, generator: undefined }
  const [server, ...others] = cpus
  const generator = others[others.length - 1]
  const rest = others.length > 2 ? others.slice(0, -1) : others
  return { server: String(server), postgres: rest.join(), generator: String(generator) }
}

function allowedCpus(): number[] {
  const [, list = ''] = /^Cpus_allowed_list:\s*(.*)$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
  return list.split(',').flatMap(range => {
    const [from, to = from] = range.split('-').map(Number) as [number, number?]
    return Array.from({ length: to - from + 1 }, (_, i) => from + i)
  })
}

const TICK_MS = 10

/** Milliseconds of CPU that a process has used; of those that it started and that ended, too. NaN where there is no /proc. */
export function cpuOf(pid: number): number {
  const fields = statOf(pid)
  return fields ? fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) * TICK_MS : Number.NaN
}

/** The same of a process together with those that it started and that are alive. */
export function cpuOfFamily(pid: number): number {
  return childrenOf(pid).reduce((sum, child) => sum + (cpuOf(child) || 0), cpuOf(pid))
}

export function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(Number)
    .filter(other => statOf(other)?.[1] === String(pid))
}

/** Megabytes of memory that are resident. */
export function memoryOf(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) / 1024
}

/** The fields of /proc/PID/stat behind the name: state, parent, … */
function statOf(pid: number): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined
  }
}
