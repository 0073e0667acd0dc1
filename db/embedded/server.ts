/** Creates a cluster, starts and stops its PostgreSQL, and keeps its log small. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { basename, join } from 'node:path'
import { OperatorError } from '../operator-error'
import { requiredSettings } from '../session-settings'
import type { Account } from './account'
import { findPostmaster, pidFile } from './postmaster'

/** The time limit of initdb, of a start (which may recover from a crash), and of a stop. */
export const SERVER_TIMEOUT_MS = 120_000

/**
 * Runs a program in a session of its own, so that Ctrl-C reaches us only: we exit when the program has ended.
 *
 * @param cwd its working directory
 * @throws Error with the last error that it printed
 */
async function runProgram(
  program: string,
  args: readonly string[],
  cwd: string,
  account: Account | undefined,
): Promise<void> {
  const child = spawn(program, args, {
    ...{ ...account, cwd, detached: true, timeout: SERVER_TIMEOUT_MS },
    // Nothing of our own environment (PGPORT, LC_ALL …) reaches it.
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let stderr = ''
  child.stderr.on('data', text => {
    stderr += text
  })
  const [code, signal] = await once(child, 'close')
  if (code !== 0) throw new Error(findLastError(stderr) ?? `${basename(program)} ended with ${code ?? signal}`)
}

const findLastError = (output: string): string | undefined => output.match(/(?:FATAL|PANIC|error|ERROR): .*/g)?.at(-1)

/** Retries, because an initdb whose parent was killed may still write to the directory. */
const REMOVAL = { recursive: true, force: true, maxRetries: 10 }

/**
 * Creates `cluster` in a directory. Its owner logs in as `postgres`.
 *
 * @param sync whether the result must survive a power failure
 * @throws OperatorError when initdb fails
 */
export async function initdb(home: string, bin: string, account: Account | undefined, password: string, sync = true) {
  for (const name of fs.readdirSync(home)) {
    if (name.startsWith('unfinished-')) fs.rmSync(join(home, name), REMOVAL)
  }
  const unfinished = fs.mkdtempSync(join(home, 'unfinished-'))
  const cluster = join(unfinished, 'cluster')
  const passwordFile = join(unfinished, 'password')
  fs.mkdirSync(cluster, { mode: 0o700 })
  fs.writeFileSync(passwordFile, password, { mode: 0o600 })
  if (account) for (const path of [unfinished, cluster, passwordFile]) fs.chownSync(path, account.uid, account.gid)
  const options = ['--encoding=UTF8', '--no-locale', '--username=postgres', '--auth=scram-sha-256']
  const args = [`--pgdata=${cluster}`, `--pwfile=${passwordFile}`, ...options, ...(sync ? [] : ['--no-sync'])]
  try {
    await runProgram(join(bin, 'initdb'), args, home, account).catch(({ message }) => {
      throw new OperatorError('DATABASE_NOT_CREATED', `PostgreSQL could not be set up: ${message}`)
    })
    fs.renameSync(cluster, join(home, 'cluster'))
  } finally {
    fs.rmSync(unfinished, REMOVAL)
  }
}

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
  fs.rmSync(pidFile(home), { force: true })
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

/** The log: what the processes of PostgreSQL write to standard error. */
const MAX_BYTES = 10 * 2 ** 20

/** The size of the end that is kept of a log that was too large. */
const TAIL_BYTES = 2 ** 20

const CHECK_INTERVAL_MS = 1_000

const LOG = 'postgres.log'

const logFile = (home: string): string => join(home, LOG)

/** Creates an empty log. Processes append to it, so that it can be truncated while they write. */
function createLog(home: string, account: Account | undefined): void {
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
