/** Starts PostgreSQL on a cluster, apart from our terminal. */
import { type ChildProcess, spawn } from 'node:child_process'
import * as fs from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Account, PATIENCE_MS, surroundings } from './account'
import { lastFault } from './initdb'
import { findPostmaster, pidFile } from './postmaster'

/** Settings of PostgreSQL by name. */
export type ServerSettings = Record<string, string | number>

const SETTINGS: ServerSettings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: 100,
  shared_buffers: '128MB',
  max_wal_size: '2GB',
  TimeZone: 'UTC',
  log_timezone: 'UTC',
  // The log keeps starts, stops and crashes only: it does not grow, and repeats no statement.
  log_min_messages: 'log',
  log_checkpoints: 'off',
}

/**
 * Starts PostgreSQL in a session of its own, so that neither Ctrl-C nor our end hits it, and waits until it is ready or
 * has ended; `faultOf` tells why. Only for a cluster that no process serves.
 *
 * @param port the port to prefer
 */
export async function start(
  home: string,
  bin: string,
  account: Account | undefined,
  settings: ServerSettings,
  port: number,
): Promise<void> {
  // PostgreSQL itself would take any process that now has the number in a file left behind for its like.
  fs.rmSync(pidFile(home), { force: true })
  const log = fs.openSync(join(home, 'postgres.log'), 'w', 0o600)
  if (account) fs.fchownSync(log, account.uid, account.gid)
  const flags = Object.entries({ ...SETTINGS, port: await freePort(port), ...settings }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ])
  const child = spawn(join(bin, 'postgres'), ['-D', join(home, 'cluster'), ...flags], {
    ...surroundings,
    ...account,
    detached: true,
    stdio: ['ignore', log, log],
  })
  fs.closeSync(log)
  child.on('error', () => {})
  await settled(home, child)
  child.unref()
}

async function settled(home: string, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS
  while (child.exitCode === null && child.signalCode === null && child.pid && Date.now() < deadline) {
    if (findPostmaster(home)?.ready) return
    await sleep(20)
  }
}

/** What PostgreSQL last complained about. */
export function faultOf(home: string): string {
  const log = join(home, 'postgres.log')
  return (fs.existsSync(log) && lastFault(fs.readFileSync(log, 'utf8'))) || `see ${log}`
}

/** The preferred port when it is free, else any that is. */
async function freePort(preferred: number): Promise<number> {
  const server = createServer()
  try {
    return await new Promise<number>((resolve, reject) => {
      server.once('error', reject)
      server.listen({ host: '127.0.0.1', port: preferred, exclusive: true }, () => {
        resolve((server.address() as { port: number }).port)
      })
    })
  } catch (error) {
    if (preferred === 0) throw error
    return freePort(0)
  } finally {
    server.close()
  }
}
