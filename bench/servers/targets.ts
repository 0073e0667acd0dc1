/** The measured servers: the service, started as a user would start it, and its peers. Each is a process. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { type BenchData, ENVIRONMENT } from '../data/fill'
import { RATE_LIMIT } from '../peers/statements'
import type { Database } from './bench-cluster'
import { pinned } from './processes'

export const TARGETS = ['service', 'floor', 'fastify'] as const

export type TargetName = (typeof TARGETS)[number]

/** The root of the checkout, as seen from dist/bench/servers. */
const ROOT = join(__dirname, '..', '..', '..')

const PEERS = join(__dirname, '..', 'peers')

export interface Target {
  name: TargetName
  /** Id of the node process. */
  pid: number
  port: number
  stop(): Promise<void>
}

/** Starts a target, whose log lines go to /dev/null unless DEBUG is set, and waits until it listens. @throws Error with its output if it exits instead */
export async function startTarget(
  name: TargetName,
  database: Database,
  { cursorSecret }: Pick<BenchData, 'cursorSecret'>,
  cpus: string | undefined,
): Promise<Target> {
  const command = name === 'service' ? [join(ROOT, 'dist', 'cli', 'main.js'), 'serve'] : [join(PEERS, `${name}.js`)]
  const [program, ...args] = pinned(cpus, [process.execPath, ...command])
  const child = spawn(program!, args, {
    stdio: ['ignore', 'pipe', process.env.DEBUG ? 'inherit' : 'ignore'],
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      NODE_PATH: join(ROOT, 'bench', 'node_modules'),
      DATABASE_URL: database.ownerUrl,
      READER_DATABASE_URL: database.readerUrl,
      CURSOR_SECRET: cursorSecret.toString('hex'),
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
