/** Runs the built command line in processes: commands to their end, or services until a signal. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findPostmaster } from '../../db/embedded/postmaster'
import { buildBeforeAll, MAIN } from './build'
import { run as runInProcess } from './in-process'

export type Env = Record<string, string>

const running = new Set<ChildProcess>()

let shared = new Set<ChildProcess>()

buildBeforeAll()

// Kills what a failed test left behind. Processes started for all tests of a file run until its end.
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

/** A running command with its output so far. */
export class Command {
  readonly ended: Promise<Ended>
  stdout = ''
  stderr = ''
  private readonly process: ChildProcess

  /**
   * @param input standard input; none by default
   * @param options.main the entry point of the command line, if it is not the built one
   * @param options.cwd the working directory
   */
  constructor(args: readonly string[], env: Env, input?: string, { main = MAIN, cwd = process.cwd() } = {}) {
    // No request is shed because the machine is busy.
    const defaults = { PORT: '0', ADMIN_PORT: '0', MAX_EVENT_LOOP_DELAY_MS: '600000' }
    this.process = spawn(process.execPath, [main, ...args], {
      cwd,
      env: { PATH: process.env.PATH as string, METRICS_ENV: 'production', ...defaults, ...env },
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    })
    this.process.stdin?.on('error', () => {}).end(input)
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

  /** Returns the log of the service, once it says that it has started. It is written in the background. */
  async startLog(): Promise<string> {
    while (!this.stderr.includes('"started"')) await sleep(5)
    return this.stderr
  }

  /** Stops reading the log. @returns a function that reads on */
  pauseLog(): () => void {
    const stderr = this.process.stderr!.pause()
    return () => stderr.resume()
  }

  /** Returns the URL of the service, as soon as it is printed. */
  async url(): Promise<string> {
    for (;;) {
      const [, url] = /^listening on (http:\S+)$/m.exec(this.stdout) ?? []
      if (url) return url
      if (this.process.exitCode !== null || this.process.signalCode)
        throw new Error(`the service ended: ${this.stderr}`)
      await sleep(20)
    }
  }
}

/** Runs a command to its end. */
export const run = (args: readonly string[], env: Env, input?: string): Promise<Ended> =>
  new Command(args, env, input).ended

/** A test that needs a terminal, which `script` of util-linux makes. */
export const testOnTerminal = `${spawnSync('script', ['--version']).stdout}`.includes('util-linux') ? test : test.skip

/** Runs a command on a terminal, and returns the lines there. */
export function runOnTerminal(args: readonly string[], env: Env, columns: number): string[] {
  const command = [process.execPath, MAIN, ...args].map(text => `'${text}'`).join(' ')
  const script = `stty cols ${columns}; exec ${command}`
  const output = execFileSync('script', ['--quiet', '--return', '--command', script, '/dev/null'], {
    env: { PATH: process.env.PATH, METRICS_ENV: 'production', ...env },
    input: '',
    encoding: 'utf8',
  })
  return output.trimEnd().split('\r\n')
}

/** Runs a command with --json and parses the document. */
export async function runJson(
  args: readonly string[],
  env: Env,
  input?: string,
  // biome-ignore lint/suspicious/noExplicitAny: tests access the documents without types
): Promise<{ code: Ended['code']; document: any }> {
  const { code, stdout } = await run([...args, '--json'], env, input)
  return { code, document: JSON.parse(stdout) }
}

/** A data directory that the user of PostgreSQL can enter; `dispose` stops its PostgreSQL and deletes it. */
export class DataDir {
  /** Returns a directory with a migrated database that is not running. */
  static async migrated(): Promise<DataDir> {
    const dir = new DataDir()
    const { code, stderr } = await runInProcess(['migrate'], { DATA_DIR: dir.path })
    if (code !== 0) throw new Error(stderr)
    return dir
  }

  readonly parent = mkdtempSync(join(tmpdir(), 'partner metrics test '))
  readonly path: string

  constructor(mode = 0o755, name = 'data') {
    chmodSync(this.parent, mode)
    this.path = join(this.parent, name)
  }

  /** Returns a copy of the directory. */
  copy(): DataDir {
    const dir = new DataDir()
    execFileSync('cp', ['-a', this.path, dir.path])
    return dir
  }

  /** Process id of the running PostgreSQL. */
  postmaster(): number | undefined {
    const home = join(this.path, 'postgres')
    // The process id that a crash leaves behind may belong to another process by now.
    return existsSync(home) ? findPostmaster(realpathSync(home))?.pid : undefined
  }

  /** Port of the running PostgreSQL. */
  port(): number {
    return Number(readFileSync(join(this.path, 'postgres', 'cluster', 'postmaster.pid'), 'utf8').split('\n')[3])
  }

  /** Kills PostgreSQL; its sessions end a moment later. Returns its process id. */
  killPostmaster(): number {
    const pid = this.postmaster()
    if (pid === undefined) throw new Error(`no PostgreSQL runs in ${this.path}`)
    process.kill(pid, 'SIGKILL')
    return pid
  }

  /** Waits until a service has started another PostgreSQL; until then a session of the former one may still answer. */
  untilRestarted(killed: number): Promise<void> {
    return this.until(() => ![undefined, killed].includes(this.postmaster()))
  }

  /** Waits for a condition. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await sleep(5)
  }

  async dispose(): Promise<void> {
    const pid = this.postmaster()
    if (pid) process.kill(pid, 'SIGQUIT')
    await this.until(() => !pid || !isAlive(pid))
    const home = join(this.path, 'postgres')
    if (existsSync(home)) rmSync(realpathSync(home), { recursive: true, force: true })
    rmSync(this.parent, { recursive: true, force: true })
  }
}

export function isAlive(pid: number): boolean {
  try {
    // A zombie process can still be signalled.
    return process.kill(pid, 0) && !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
