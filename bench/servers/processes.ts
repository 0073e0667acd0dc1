/** CPU affinity of the measured processes, and their CPU time and memory as read from /proc. */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'

const hasTaskset = spawnSync('taskset', ['-V']).status === 0

/** A command line that runs on these CPUs (a list as taskset takes it), if taskset is installed. */
export const pinned = (cpus: string | undefined, command: string[]): string[] =>
  hasTaskset && cpus !== undefined ? ['taskset', '-c', cpus, ...command] : command

/** Moves all threads of a running process, and the processes that it will start, to these CPUs. */
export function pin(pid: number, cpus: string | undefined): void {
  if (hasTaskset && cpus !== undefined) execFileSync('taskset', ['-acp', cpus, String(pid)], { stdio: 'ignore' })
}

/** The CPUs of each role; undefined where processes cannot be pinned. */
export interface CpuLayout {
  server: string | undefined
  postgres: string | undefined
  generator: string | undefined
}

/** The server gets a CPU of its own. The load generator shares one with PostgreSQL if there are fewer than four. */
export function cpuLayout(): CpuLayout {
  const cpus = hasTaskset ? Array.from({ length: availableParallelism() }, (_, i) => i) : []
  if (cpus.length < 2) return { server: undefined, postgres: undefined, generator: undefined }
  const [server, ...others] = cpus
  const generator = others[others.length - 1]
  const postgres = others.length > 2 ? others.slice(0, -1) : others
  return { server: String(server), postgres: postgres.join(), generator: String(generator) }
}

const NANOSECONDS_PER_MS = 1e6

/** CPU time of all threads of a process in milliseconds, to the nanosecond. NaN if there is no /proc. */
export function cpuTime(pid: number): number {
  const tasks = `/proc/${pid}/task`
  if (!existsSync(tasks)) return Number.NaN
  return readdirSync(tasks).reduce((sum, task) => sum + cpuTimeOfTask(`${tasks}/${task}`), 0) / NANOSECONDS_PER_MS
}

/** In nanoseconds; 0 for a thread that has just ended. */
function cpuTimeOfTask(directory: string): number {
  try {
    return Number(readFileSync(`${directory}/schedstat`, 'utf8').split(' ')[0])
  } catch {
    return 0
  }
}

/** The CPU time of a process and of all its children, also of those that have ended. */
export function cpuTimeOfTree(pid: number): number {
  return findChildren(pid).reduce((sum, child) => sum + (cpuTime(child) || 0), cpuTime(pid) + cpuTimeOfEnded(pid))
}

/** In milliseconds. The kernel counts hundredths of a second. */
function cpuTimeOfEnded(pid: number): number {
  const [userTime = 0, systemTime = 0] = statFields(pid)?.slice(13, 15).map(Number) ?? []
  return (userTime + systemTime) * 10
}

export function findChildren(pid: number): number[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(Number)
    .filter(other => statFields(other)?.[1] === String(pid))
}

/** The fields of /proc/PID/stat after the command: state, parent, … Undefined if the process does not exist. */
function statFields(pid: number): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined
  }
}
