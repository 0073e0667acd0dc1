/** The process of PostgreSQL that serves a cluster: found, and ended. */
import * as fs from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { OperatorError } from '../operator-error'
import { PATIENCE_MS } from './account'

export interface Postmaster {
  pid: number
  port: number
  ready: boolean
}

/** Ends PostgreSQL in good order, whoever is still connected. */
export async function stop(home: string): Promise<void> {
  const postmaster = findPostmaster(home)
  if (!postmaster) return
  process.kill(postmaster.pid, 'SIGINT')
  const deadline = Date.now() + PATIENCE_MS
  while (findPostmaster(home)?.pid === postmaster.pid) {
    if (Date.now() > deadline) throw new OperatorError('DATABASE_NOT_STOPPED', 'PostgreSQL does not stop')
    await sleep(20)
  }
}

/** The process that serves the cluster, undefined when there is none. */
export function findPostmaster(home: string): Postmaster | undefined {
  const lines = readPidFile(home)
  const pid = Number(lines[0])
  // A crash leaves the file behind, and by now the number may be another process's.
  if (!(pid > 0) || !serves(pid, join(home, 'cluster'))) return undefined
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

function serves(pid: number, cluster: string): boolean {
  if (!fs.existsSync('/proc/self')) return isAlive(pid)
  try {
    // PostgreSQL stands in its data directory; in some containers even root may not look there.
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
