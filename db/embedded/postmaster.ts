/** Finds the postmaster, the main process of PostgreSQL, of a cluster. */
import * as fs from 'node:fs'
import { join } from 'node:path'

/** Returns the postmaster of the cluster; undefined when it does not run. */
export function findPostmaster(home: string): { pid: number; port: number } | undefined {
  const lines = readPidFile(home)
  const pid = Number(lines[0])
  // A crash leaves the file behind, and its process id may have been reused.
  if (!(pid > 0) || !servesCluster(pid, join(home, 'cluster'))) return undefined
  return { pid, port: Number(lines[3]) }
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
  try {
    if (!fs.existsSync('/proc/self')) return process.kill(pid, 0)
    const words = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    // An operator may have started it otherwise, but in its data directory. In some containers not even root may read the link.
    return words.some(word => word.endsWith(cluster)) || fs.readlinkSync(`/proc/${pid}/cwd`) === cluster
  } catch {
    return false
  }
}
