/** The log of PostgreSQL: what its processes write to standard error. */
import * as fs from 'node:fs'
import { join } from 'node:path'
import type { Account } from './account'
import { findLastError } from './run-program'

const MAX_BYTES = 10 * 2 ** 20

/** The size of the end that is kept of a log that was too large. */
const TAIL_BYTES = 2 ** 20

const CHECK_INTERVAL_MS = 1_000

/** The name of the file. */
export const LOG = 'postgres.log'

const logFile = (home: string): string => join(home, LOG)

/** Creates an empty log. Processes append to it, so that it can be truncated while they write. */
export function createLog(home: string, account: Account | undefined): void {
  fs.writeFileSync(logFile(home), '', { mode: 0o600 })
  if (account) fs.chownSync(logFile(home), account.uid, account.gid)
}

/**
 * Keeps the log small: PostgreSQL has no limit of its own that holds. Whoever can connect can add to it, for example by
 * failing to log in. Does not keep the process alive.
 */
export function boundLog(home: string): NodeJS.Timeout {
  return setInterval(() => {
    try {
      truncateLog(logFile(home))
    } catch {
      // It is missing while PostgreSQL starts, or belongs to another user, whose process truncates it.
    }
  }, CHECK_INTERVAL_MS).unref()
}

function truncateLog(file: string): void {
  const { size } = fs.statSync(file)
  if (size <= MAX_BYTES) return
  const log = fs.openSync(file, 'r+')
  try {
    const tail = Buffer.alloc(TAIL_BYTES)
    const length = fs.readSync(log, tail, 0, TAIL_BYTES, size - TAIL_BYTES)
    fs.ftruncateSync(log)
    fs.appendFileSync(file, tail.subarray(0, length))
  } finally {
    fs.closeSync(log)
  }
}

/** Returns the last error in the log. */
export function readStartError(home: string): string {
  const log = logFile(home)
  return (fs.existsSync(log) && findLastError(fs.readFileSync(log, 'utf8'))) || `see ${log}`
}
