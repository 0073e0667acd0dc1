/**
 * Runs commands within the process of the test, which saves starting one. Tests of signals, pipes, terminals and services start
 * the built command instead (command.ts).
 */
import { setMaxListeners } from 'node:events'
import { Readable, Writable } from 'node:stream'
import { run as runCommandLine } from '../../cli/command-line'
import { shutdownSignal } from '../../cli/shutdown'
import { withSharedConnections } from './command-pools'

// Each running command listens, and Node warns of more than ten.
setMaxListeners(100, shutdownSignal)

export type Env = Record<string, string>

export interface Ended {
  /** The exit code. */
  code: number
  stdout: string
  stderr: string
}

/** Runs a command to its end. @param input standard input; none by default */
export async function run(args: readonly string[], env: Env, input = ''): Promise<Ended> {
  const [stdout, stderr] = [new Text(), new Text()]
  const stdin = Readable.from([Buffer.from(input)], { objectMode: false })
  // A service may run on the machine.
  const defaults = { METRICS_ENV: 'production', PORT: '0', ADMIN_PORT: '0' }
  const start = () => runCommandLine(args, { ...defaults, ...env }, { stdin, stdout, stderr })
  // A service reads through connections of its own.
  const code = await (args[0] === 'serve' ? start() : withSharedConnections(start))
  return { code, stdout: `${stdout}`, stderr: `${stderr}` }
}

/** Runs a command with --json and parses the document. */
export async function runJson(
  args: readonly string[],
  env: Env,
  input?: string,
  // biome-ignore lint/suspicious/noExplicitAny: tests access the documents without types
): Promise<{ code: number; document: any }> {
  const { code, stdout } = await run([...args, '--json'], env, input)
  return { code, document: JSON.parse(stdout) }
}

/** Collects the text that is written. */
class Text extends Writable {
  private readonly chunks: Buffer[] = []

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.chunks.push(chunk)
    done()
  }

  override toString(): string {
    return Buffer.concat(this.chunks).toString()
  }
}
