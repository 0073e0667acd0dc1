/** What is measured: the service, started as a user would, and its peers, each a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { ENVIRONMENT } from '../data/population'
import { BENCH, SERVICE } from '../paths'
import type { Database } from './bench-cluster'
import { pinned } from './processes'

export const TARGETS = ['ours', 'floor', 'fastify', 'apollo', 'sofa'] as const

export type TargetName = (typeof TARGETS)[number]

/** What each is, in a line for the report. */
export const DESCRIPTIONS: Record<TargetName, string> = {
  ours: 'this service: `serve` in production, LOG_LEVEL=warn, no limit that sheds load is met; keys checked, both walls standing',
  floor: 'bare node:http and pg: one prepared statement a request (key and scope in it), JSON written by hand, no tags',
  fastify: 'Fastify, hand-written SQL, a key check of its own, JSON schema serialisers, @fastify/etag',
  apollo: "Koa and Apollo's executeOperation on the same schema, Apollo's defaults, behind the service's door",
  sofa: 'SOFA on a schema in the words of REST, made of the same, with the same resolvers behind the same door; no pages, no tags',
}

const PEERS = join(__dirname, '..', 'peers')
const PROFILER = join(__dirname, '..', 'measure', 'profiler.js')

export interface Target {
  name: TargetName
  /** Of the node process. */
  pid: number
  port: number
  /** Milliseconds from the start of the process to its word that it listens. */
  startedIn: number
  stop(): Promise<void>
}

export interface Surroundings {
  database: Database
  cursorSecret: string
  cpus: string | undefined
  /** Where ours writes its CPU profile, where it is to be profiled. */
  profile?: string
}

/** Starts a target and waits until it listens. @throws Error with what it said when it ends instead */
export async function start(
  name: TargetName,
  { database, cursorSecret, cpus, profile }: Surroundings,
): Promise<Target> {
  const loaded = profile ? ['-r', PROFILER] : []
  const command = name === 'ours' ? [...loaded, SERVICE, 'serve'] : [join(PEERS, `${name}.js`)]
  const [program, ...args] = pinned(cpus, [process.execPath, ...command])
  const began = performance.now()
  const child = spawn(program as string, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      NODE_PATH: join(BENCH, 'node_modules'),
      DATABASE_URL: database.ownerUrl,
      READER_DATABASE_URL: database.readerUrl,
      WRITER_DATABASE_URL: database.writerUrl,
      CURSOR_SECRET: cursorSecret,
      ...(profile && { PROFILE: profile }),
      PORT: '0',
      ADMIN_PORT: '0',
      METRICS_ENV: ENVIRONMENT,
      LOG_LEVEL: 'warn',
      RATE_LIMIT: '1000000000',
      MAX_IN_FLIGHT: '1000',
      MAX_EVENT_LOOP_DELAY_MS: '60000',
    },
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  const port = await announced(name, child)
  return { name, pid: child.pid as number, port, startedIn: performance.now() - began, stop: () => end(child) }
}

const running = new Set<ChildProcess>()

/** Ends at once whatever still runs. */
export function endAll(): void {
  for (const child of running) child.kill('SIGKILL')
}

/** The port that is in the line `listening on …`. */
export function announced(name: string, child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    let said = ''
    child.stdout?.on('data', text => {
      said += text
      const [, port] = /^listening on http:\/\/.*:(\d+)$/m.exec(said) ?? []
      if (port) resolve(Number(port))
    })
    child.once('exit', code => reject(new Error(`${name} ended with ${code} before it listened: ${said}`)))
  })
}

export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  const patience = setTimeout(() => child.kill('SIGKILL'), 15_000)
  await ended
  clearTimeout(patience)
}
