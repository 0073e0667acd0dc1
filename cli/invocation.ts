/**
 * One run of the command line. Commands use its environment and streams instead of those of the process, so that the
 * tests can run them without starting a process.
 */
import { hostname } from 'node:os'
import type { Readable, Writable } from 'node:stream'
import { CommanderError } from 'commander'
import { findCondition, OperatorError } from '../db/operator-error'
import { printable } from './text/printable'

type Input = Readable & { isTTY?: boolean }
type Output = Writable & { isTTY?: boolean; columns?: number }

/** The standard streams; `process` has them. */
export interface Streams {
  readonly stdin: Input
  readonly stdout: Output
  readonly stderr: Output
}

export class Invocation {
  /** The exit code of a command that ends without an error. */
  exitCode = 0
  private outputError: NodeJS.ErrnoException | undefined
  private hasResult = false

  constructor(
    readonly args: readonly string[],
    readonly env: NodeJS.ProcessEnv,
    private readonly streams: Streams,
  ) {
    // Without a listener an error ends the process, and the standard streams of Node forget it.
    streams.stdout.on('error', error => {
      this.outputError ??= error
    })
  }

  get isJson(): boolean {
    return this.args.includes('--json')
  }

  /** The command and its process, as sessions of the database show them to commands that wait for them. */
  get applicationName(): string {
    return `partner-metrics ${this.args[0] ?? ''} (process ${process.pid} on ${hostname()})`
  }

  // A process opens its streams when they are accessed first.
  get stdin(): Input {
    return this.streams.stdin
  }

  get stdout(): Output {
    return this.streams.stdout
  }

  get stderr(): Output {
    return this.streams.stderr
  }

  /** Prints the result: the document with `--json`, else the lines. @param lines receives the width of a terminal */
  printResult(document: object, lines: (width?: number) => string | readonly string[]): void {
    const text = this.isJson ? JSON.stringify(document) : [lines(this.stdout.columns)].flat().join('\n')
    this.stdout.write(printable(`${text}\n`))
    this.hasResult = true
  }

  /** Prints a line on stderr. */
  readonly printMessage = (line: string): void => {
    this.stderr.write(printable(`${line}\n`))
  }

  /**
   * Prints the error that ended the command, and sets the exit code: 2 for wrong usage, else 1; 0 for `--help` and
   * `--version`, which Commander ends in this way too.
   */
  reportError(thrown: unknown): void {
    const error = findCondition(thrown) ?? thrown
    if (error instanceof CommanderError && error.exitCode === 0) return
    const isUsage = error instanceof CommanderError || error instanceof UsageError
    const message = describeError(error)
    // Commander prints its own errors.
    if (!(error instanceof CommanderError)) this.printMessage(message.replace(/^/gm, 'error: '))
    if (this.isJson && !this.hasResult) {
      const code = error instanceof OperatorError ? error.code : isUsage ? 'USAGE' : 'INTERNAL'
      this.printResult({ error: { code, message: message.replace(/^error: /, '') } }, () => [])
    }
    this.exitCode = isUsage ? 2 : 1
  }

  /** Waits until the output was handed over. @throws OperatorError OUTPUT_LOST on a full disk or without a reader */
  async handOver(): Promise<void> {
    await new Promise<void>(resolve => this.stdout.write('', () => resolve()))
    if (!this.outputError) return
    throw new OperatorError('OUTPUT_LOST', `the output could not be written: ${this.outputError.message}`)
  }

  /** Waits for the output: to exit would lose what the reader of a pipe has not taken yet, unless it is gone. */
  async delivered(): Promise<void> {
    await this.handOver().catch(error => {
      if (this.outputError?.code !== 'EPIPE' && this.exitCode === 0) this.reportError(error)
    })
  }
}

function describeError(error: unknown): string {
  if (error instanceof CommanderError || error instanceof OperatorError) return error.message
  const { message, code } = Object(error) as { message?: string; code?: string }
  return `unexpected error: ${message || code || String(error)}`
}

/** Wrong usage of a command, or invalid settings. */
export class UsageError extends OperatorError {}
