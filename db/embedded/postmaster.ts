/** Finds and stops the postmaster, the main process of PostgreSQL, of a cluster. */
import * as fs from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { OperatorError } from '../operator-error'
import { SERVER_TIMEOUT_MS } from './server-process'

const POLL_MS = 20

interface Postmaster {
  pid: number
  port: number
  /** Whether it accepts connections. */
  ready: boolean
}

/** Shuts PostgreSQL down in good order, and disconnects its clients (fast shutdown). */
export async function stopPostmaster(home: string): Promise<void> {
  const postmaster = findPostmaster(home)
  if (!postmaster) return
  process.kill(postmaster.pid, 'SIGINT')
  const deadline = Date.now() + SERVER_TIMEOUT_MS
  while (findPostmaster(home)?.pid === postmaster.pid) {
    if (Date.now() > deadline) throw new OperatorError('DATABASE_NOT_STOPPED', 'PostgreSQL does not stop')
    await sleep(POLL_MS)
  }
}

/** Returns the postmaster of the cluster; undefined when it does not run. */
export function findPostmaster(home: string): Postmaster | undefined {
  const lines = readPidFile(home)
  const pid = Number(lines[0])
  // A crash leaves the file behind, and its process id may have been reused.
  if (!(pid > 0) || !servesCluster(pid, join(home, 'cluster'))) return undefined
  return { pid, port: Number(lines[3]), ready: lines[7]?.trim() === 'ready' }
}

export const pidFile = (home: string): string => join(home, 'cluster', 'postmaster.pid')

function readPidFile(home: string): string[] {
  try {
    return fs.readFileSync(pidFile(home), 'utf8').split('\n')
  } catch {
    return []
  }
}

function servesCluster(pid: number, cluster: string): boolean {
  if (!fs.existsSync('/proc/self')) return isAlive(pid)
  try {
    // The working directory of PostgreSQL is its data directory. In some containers not even root may read the link.
    if (fs.readlinkSync(`/proc/${pid}/cwd`) === cluster) return true
  } catch {}
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(cluster)
  } catch {
    return false
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
