/** Starts and stops the PostgreSQL of a cluster with pg_ctl. */
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { OperatorError } from '../operator-error'
import { requiredSettings } from '../session-settings'
import type { Account } from './account'
import { findPostmaster, pidFile } from './postmaster'
import { runProgram, SERVER_TIMEOUT_MS } from './run-program'
import { createLog, LOG } from './server-log'

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
 * Starts PostgreSQL detached from us, and waits until it accepts connections or has exited; `readStartError` has the reason then. No
 * process may serve the cluster yet.
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
  rmSync(pidFile(home), { force: true })
  createLog(home, account)
  const directory = { data_directory: join(home, 'cluster'), port: await findFreePort(port) }
  const options = Object.entries({ ...SETTINGS, ...directory, ...settings }).map(
    // pg_ctl starts it by a shell.
    ([name, value]) => `-c "${name}=${`${value}`.replace(/["$`\\]/g, '\\$&')}"`,
  )
  await pgCtl(home, bin, account, 'start', `--log=${LOG}`, `--options=${options.join(' ')}`).catch(() => {})
}

/** Shuts PostgreSQL down in good order, and disconnects its clients (fast shutdown). */
export async function stopServer(home: string, bin: string, account: Account | undefined): Promise<void> {
  // A crash leaves a process id behind, by which pg_ctl would stop any process.
  if (!findPostmaster(home)) return
  await pgCtl(home, bin, account, 'stop').catch(() => {
    throw new OperatorError('DATABASE_NOT_STOPPED', 'PostgreSQL does not stop')
  })
}

/** Paths are relative to the working directory, because pg_ctl writes them into a command of the shell as they are. */
function pgCtl(home: string, bin: string, account: Account | undefined, ...args: string[]): Promise<void> {
  const options = ['--pgdata=cluster', `--timeout=${SERVER_TIMEOUT_MS / 1000}`]
  return runProgram(join(bin, 'pg_ctl'), [...args, ...options], home, account)
}

/** Returns the preferred port if it is free, else any that is. */
async function findFreePort(preferred: number): Promise<number> {
  const server = createServer().listen({ host: '127.0.0.1', port: preferred, exclusive: true })
  try {
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  } catch (error) {
    if (preferred === 0) throw error
    return findFreePort(0)
  } finally {
    server.close()
  }
}
