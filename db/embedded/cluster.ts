/** One PostgreSQL cluster as a directory and a process: made, started apart from our terminal, found again, stopped. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import {
  chownSync,
  closeSync,
  existsSync,
  fchownSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { OperatorFault } from '../operator-fault'
import type { Account } from './account'

export interface Postmaster {
  pid: number
  port: number
  ready: boolean
}

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

/** Nothing of our surroundings (PGPORT, LC_ALL …) reaches PostgreSQL. */
const surroundings = { cwd: '/', env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' } }

/**
 * Makes the cluster `cluster` in `home`, whole or not at all. Its owner logs in as `postgres`.
 *
 * @param sync whether it has to survive a power cut
 */
export async function initialize(
  home: string,
  bin: string,
  account: Account | undefined,
  password: string,
  sync = true,
) {
  for (const name of readdirSync(home)) {
    if (name.startsWith('unfinished-')) rmSync(join(home, name), { recursive: true, force: true })
  }
  const unfinished = mkdtempSync(join(home, 'unfinished-'))
  const cluster = join(unfinished, 'cluster')
  const passwordFile = join(unfinished, 'password')
  mkdirSync(cluster, { mode: 0o700 })
  writeFileSync(passwordFile, password, { mode: 0o600 })
  if (account) for (const path of [unfinished, cluster, passwordFile]) chownSync(path, account.uid, account.gid)
  const shape = ['--encoding=UTF8', '--no-locale', '--username=postgres', '--auth=scram-sha-256']
  const args = [`--pgdata=${cluster}`, `--pwfile=${passwordFile}`, ...shape, ...(sync ? [] : ['--no-sync'])]
  try {
    await promisify(execFile)(join(bin, 'initdb'), args, { ...surroundings, ...account, timeout: 120_000 })
    renameSync(cluster, join(home, 'cluster'))
  } catch (error) {
    const { stderr = '', message } = error as { stderr?: string; message: string }
    throw new OperatorFault('DATABASE_NOT_MADE', `PostgreSQL could not be set up: ${lastFault(stderr) ?? message}`)
  } finally {
    rmSync(unfinished, { recursive: true, force: true })
  }
}

/** The process that serves the cluster, undefined when there is none. */
export function findPostmaster(home: string): Postmaster | undefined {
  const file = join(home, 'cluster', 'postmaster.pid')
  if (!existsSync(file)) return undefined
  const lines = readFileSync(file, 'utf8').split('\n')
  const pid = Number(lines[0])
  if (isPostmaster(pid, join(home, 'cluster'))) {
    return { pid, port: Number(lines[3]), ready: lines[7]?.trim() === 'ready' }
  }
  // Left behind by a crash. PostgreSQL itself would take any process that now has its number for a server.
  rmSync(file, { force: true })
  return undefined
}

function isPostmaster(pid: number, cluster: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(cluster)
  } catch {
    if (existsSync('/proc/self')) return false
  }
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/**
 * Starts PostgreSQL in a session of its own, so that neither Ctrl-C nor our end hits it, and waits until it is ready.
 *
 * @param port the port to prefer
 * @returns undefined when it ended at once: `faultOf` tells why
 */
export async function start(
  home: string,
  bin: string,
  account: Account | undefined,
  settings: ServerSettings,
  port: number,
): Promise<void> {
  const log = openSync(join(home, 'postgres.log'), 'w', 0o600)
  if (account) fchownSync(log, account.uid, account.gid)
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
  closeSync(log)
  child.on('error', () => {})
  await settled(home, child)
  child.unref()
}

async function settled(home: string, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS
  while (child.exitCode === null && child.signalCode === null && child.pid && Date.now() < deadline) {
    if (findPostmaster(home)?.ready) return
    await sleep(20)
  }
}

/** How long PostgreSQL may take to start (it may have a crash to recover from) or to stop. */
export const START_TIMEOUT_MS = 120_000

/** What PostgreSQL last complained about. */
export function faultOf(home: string): string {
  const log = join(home, 'postgres.log')
  return (existsSync(log) && lastFault(readFileSync(log, 'utf8'))) || `see ${log}`
}

function lastFault(text: string): string | undefined {
  return text.match(/(?:FATAL|PANIC|error|ERROR): .*/g)?.at(-1)
}

/** Ends PostgreSQL in good order, whoever is still connected. */
export async function stop(home: string): Promise<void> {
  const postmaster = findPostmaster(home)
  if (!postmaster) return
  process.kill(postmaster.pid, 'SIGINT')
  const deadline = Date.now() + START_TIMEOUT_MS
  while (findPostmaster(home)?.pid === postmaster.pid) {
    if (Date.now() > deadline) throw new OperatorFault('DATABASE_NOT_STOPPED', 'PostgreSQL does not stop')
    await sleep(20)
  }
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
