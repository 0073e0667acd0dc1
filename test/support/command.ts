/** The built command line as real processes: run to their end, or serving until they are told to stop. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const MAIN = join(__dirname, '..', '..', 'dist', 'cli', 'main.js')

export type Env = Record<string, string>

const running = new Set<ChildProcess>()

let shared = new Set<ChildProcess>()

// A test that failed half-way leaves nothing behind; what was started for all tests of a file lasts as long as they.
beforeEach(() => {
  shared = new Set(running)
})
afterEach(() => {
  for (const child of running) if (!shared.has(child)) child.kill('SIGKILL')
})
afterAll(() => {
  for (const child of running) child.kill('SIGKILL')
})

export interface Ended {
  /** The exit code, or the signal that ended it. */
  code: number | NodeJS.Signals | null
  stdout: string
  stderr: string
}

/** A process of ours with what it has said so far. */
export class Command {
  readonly ended: Promise<Ended>
  stdout = ''
  stderr = ''
  private readonly process: ChildProcess

  constructor(args: readonly string[], env: Env) {
    const ports = { PORT: '0', ADMIN_PORT: '0' }
    this.process = spawn(process.execPath, [MAIN, ...args], {
      env: { PATH: process.env.PATH as string, METRICS_ENV: 'production', ...ports, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.process.stdout?.setEncoding('utf8').on('data', text => (this.stdout += text))
    this.process.stderr?.setEncoding('utf8').on('data', text => (this.stderr += text))
    running.add(this.process)
    this.ended = new Promise(resolve => {
      this.process.on('close', (code, signal) => {
        running.delete(this.process)
        resolve({ code: code ?? signal, stdout: this.stdout, stderr: this.stderr })
      })
    })
  }

  get pid(): number {
    return this.process.pid as number
  }

  signal(signal: NodeJS.Signals): void {
    this.process.kill(signal)
  }

  end(signal: NodeJS.Signals): Promise<Ended> {
    this.signal(signal)
    return this.ended
  }

  /** Where it serves, as soon as it says so. */
  async url(): Promise<string> {
    for (;;) {
      const [, url] = /^listening on (http:\S+)$/m.exec(this.stdout) ?? []
      if (url) return url
      if (this.process.exitCode !== null || this.process.signalCode) throw new Error(`it ended: ${this.stderr}`)
      await sleep(20)
    }
  }
}

/** Runs a command to its end. */
export const run = (args: readonly string[], env: Env): Promise<Ended> => new Command(args, env).ended

/** Runs a command with --json and parses its one document. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into documents freely
export async function runJson(args: readonly string[], env: Env): Promise<{ code: Ended['code']; document: any }> {
  const { code, stdout } = await run([...args, '--json'], env)
  return { code, document: JSON.parse(stdout) }
}

/** A data directory that PostgreSQL's own user can enter, gone with everything that serves it when disposed of. */
export class DataDir {
  /** With a database that is made and migrated, as it is left behind by a command. */
  static async made(): Promise<DataDir> {
    const dir = new DataDir()
    const { code, stderr } = await run(['migrate'], { DATA_DIR: dir.path })
    if (code !== 0) throw new Error(stderr)
    return dir
  }

  private readonly above = mkdtempSync(join(tmpdir(), 'partner metrics test '))
  readonly path = join(this.above, 'data')

  constructor(mode = 0o755) {
    chmodSync(this.above, mode)
  }

  /** Another one with the same in it. */
  copy(): DataDir {
    const dir = new DataDir()
    execFileSync('cp', ['-a', this.path, dir.path])
    return dir
  }

  /** The process of PostgreSQL, undefined when there is none. */
  postmaster(): number | undefined {
    const file = join(this.path, 'postgres', 'cluster', 'postmaster.pid')
    if (!existsSync(file)) return undefined
    const pid = Number(readFileSync(file, 'utf8').split('\n')[0])
    return isAlive(pid) ? pid : undefined
  }

  /** Waits until PostgreSQL's own files can be seen to be in a state. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await sleep(5)
  }

  async dispose(): Promise<void> {
    const pid = this.postmaster()
    if (pid) process.kill(pid, 'SIGQUIT')
    await this.until(() => !pid || !isAlive(pid))
    const home = join(this.path, 'postgres')
    if (existsSync(home)) rmSync(realpathSync(home), { recursive: true, force: true })
    rmSync(this.above, { recursive: true, force: true })
  }
}

export function isAlive(pid: number): boolean {
  try {
    // One that is dead but not waited for can still be signalled.
    return process.kill(pid, 0) && !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
