/** The measured servers: the service, started as a user would start it, and its peers. Each is a process. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { ENVIRONMENT } from '../data/population'
import { BENCH, SERVICE } from '../paths'
import { RATE_LIMIT } from '../peers/statements'
import type { Database } from './bench-cluster'
import { pinned } from './processes'

export const TARGETS = ['service', 'floor', 'fastify', 'apollo'] as const

export type TargetName = (typeof TARGETS)[number]

/** A line on each target, for the report. */
export const DESCRIPTIONS: Record<TargetName, string> = {
  service:
    'this service: `serve` in production with its defaults, and limits that are never reached; keys checked, scope predicates and row-level security in force',
  floor:
    'bare node:http and pg: one prepared statement per request (key and scope in it), JSON written by hand, no entity tags, no log',
  fastify:
    'Fastify, hand-written SQL, a key check of its own, JSON schema serialisers; request ids, a pino line per request, @fastify/rate-limit by key, fastify-metrics, @fastify/helmet, @fastify/etag',
  apollo: "Koa and Apollo's executeOperation with Apollo's defaults, on the same schema and the same scoped reader",
}

const PEERS = join(__dirname, '..', 'peers')

export interface Target {
  name: TargetName
  /** Id of the node process. */
  pid: number
  port: number
  stop(): Promise<void>
}

export interface TargetSettings {
  database: Database
  cursorSecret: string
  cpus: string | undefined
}

/** Starts a target, whose log lines go to /dev/null unless DEBUG is set, and waits until it listens. @throws Error with its output if it exits instead */
export async function startTarget(name: TargetName, { database, cursorSecret, cpus }: TargetSettings): Promise<Target> {
  const command = name === 'service' ? [SERVICE, 'serve'] : [join(PEERS, `${name}.js`)]
  const [program, ...args] = pinned(cpus, [process.execPath, ...command])
  const child = spawn(program!, args, {
    stdio: ['ignore', 'pipe', process.env.DEBUG ? 'inherit' : 'ignore'],
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      NODE_PATH: join(BENCH, 'node_modules'),
      DATABASE_URL: database.ownerUrl,
      READER_DATABASE_URL: database.readerUrl,
      WRITER_DATABASE_URL: database.writerUrl,
      CURSOR_SECRET: cursorSecret,
      PORT: '0',
      ADMIN_PORT: '0',
      METRICS_ENV: ENVIRONMENT,
      LOG_LEVEL: 'info',
      RATE_LIMIT: String(RATE_LIMIT),
      MAX_EVENT_LOOP_DELAY_MS: '60000',
    },
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  const port = await listeningPort(name, child)
  return { name, pid: child.pid!, port, stop: () => terminate(child) }
}

const running = new Set<ChildProcess>()

/** Kills all targets that are still running. */
export function killTargets(): void {
  for (const child of running) child.kill('SIGKILL')
}

/** The port in the line `listening on …` on stdout. @throws Error with the output if the process exits before */
function listeningPort(name: string, child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    let output = ''
    child.stdout?.on('data', text => {
      output += text
      const [, port] = /^listening on http:\/\/.*:(\d+)$/m.exec(output) ?? []
      if (port) resolve(Number(port))
    })
    child.once('exit', code => reject(new Error(`${name} exited with ${code} before it listened: ${output}`)))
  })
}

const KILL_AFTER_MS = 15_000

/** Stops a process gracefully, or kills it if that takes too long. */
async function terminate(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  const timeout = setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS)
  await exited
  clearTimeout(timeout)
}
