/** Starts PostgreSQL on a cluster. */
import { type ChildProcess, spawn } from 'node:child_process'
import * as fs from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { requiredSettings } from '../session-settings'
import type { Account } from './account'
import { findPostmaster, pidFile } from './postmaster'
import { openLog } from './server-log'
import { PROCESS_OPTIONS, SERVER_TIMEOUT_MS } from './server-process'

const POLL_MS = 20

/** Settings of PostgreSQL by name. */
export type ServerSettings = Record<string, string | number>

const SETTINGS: ServerSettings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: 100,
  shared_buffers: '128MB',
  max_wal_size: '2GB',
  ...Object.fromEntries(requiredSettings('owner')),
  log_timezone: 'UTC',
  // Log starts, stops and crashes only: the log repeats no statement.
  log_min_messages: 'log',
  log_checkpoints: 'off',
  // Ends a query whose client is gone. Windows cannot detect that.
  ...(process.platform !== 'win32' && { client_connection_check_interval: '2s' }),
}

/**
 * Starts PostgreSQL in a session of its own, so that neither Ctrl-C nor our exit stops it, and waits until it accepts
 * connections or has exited; `readStartError` has the reason then. No process may serve the cluster yet.
 *
 * @param port the preferred port; 0 for any
 */
export async function startServer(
  home: string,
  bin: string,
  account: Account | undefined,
  settings: ServerSettings,
  port: number,
): Promise<void> {
  // PostgreSQL refuses to start if any process has the id in this file, which a crash leaves behind.
  fs.rmSync(pidFile(home), { force: true })
  const log = openLog(home, account)
  const flags = Object.entries({ ...SETTINGS, port: await findFreePort(port), ...settings }).flatMap(
    ([name, value]) => ['-c', `${name}=${value}`],
  )
  const child = spawn(join(bin, 'postgres'), ['-D', join(home, 'cluster'), ...flags], {
    ...PROCESS_OPTIONS,
    ...account,
    detached: true,
    stdio: ['ignore', log, log],
  })
  fs.closeSync(log)
  // It has no process id then, and the log no error: the caller reports that.
  child.on('error', () => {})
  await readyOrExited(home, child)
  child.unref()
}

async function readyOrExited(home: string, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + SERVER_TIMEOUT_MS
  while (child.exitCode === null && child.signalCode === null && child.pid && Date.now() < deadline) {
    if (findPostmaster(home)?.ready) return
    await sleep(POLL_MS)
  }
}

/** Returns the preferred port if it is free, else any that is. */
async function findFreePort(preferred: number): Promise<number> {
  const server = createServer()
  try {
    return await new Promise<number>((resolve, reject) => {
      server.once('error', reject)
      server.listen({ host: '127.0.0.1', port: preferred, exclusive: true }, () => {
        resolve((server.address() as AddressInfo).port)
      })
    })
  } catch (error) {
    if (preferred === 0) throw error
    return findFreePort(0)
  } finally {
    server.close()
  }
}
