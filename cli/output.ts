/** The output of a command: its result on stdout, as text or as one JSON document; messages and errors on stderr. */
import { once } from 'node:events'
import type { TableConstructorOptions } from 'cli-table3'
import { CommanderError } from 'commander'
import { OperatorError } from '../db/operator-error'
import { printable } from './text/printable'

/** Wrong usage of a command, or invalid settings. */
export class UsageError extends OperatorError {}

/** Prints the result: the document if JSON was requested, else the lines. */
export function printResult(json: boolean, document: object, lines: () => string | readonly string[]): void {
  process.stdout.write(printable(`${json ? JSON.stringify(document) : [lines()].flat().join('\n')}\n`))
}

/** An empty table. The library is loaded here because it takes long to load, and few commands print a table. */
export function createTable(
  head: string[],
  { colAligns = [], colWidths = [] }: Pick<TableConstructorOptions, 'colAligns' | 'colWidths'> = {},
) {
  const Table = require('cli-table3') as typeof import('cli-table3')
  return new Table({ head, colAligns, colWidths, style: { head: [], border: [], compact: true } })
}

/** Prints a part of a long result on stdout, and waits for a reader that is slower. */
export async function printText(text: string): Promise<void> {
  if (!process.stdout.write(printable(text)) && process.stdout.writable)
    await once(process.stdout, 'drain').catch(() => {})
}

/** Waits until the result was handed over: to exit would lose what a slower reader of a pipe has not taken yet. */
export const resultDelivered = (): Promise<void> => new Promise(resolve => process.stdout.write('', () => resolve()))

/** Prints a line on stderr. */
export function printMessage(line: string): void {
  process.stderr.write(printable(`${line}\n`))
}

/**
 * Prints the error that ended a command.
 *
 * @param json whether JSON was requested
 * @returns the exit code: 2 for wrong usage, else 1; 0 for `--help` and `--version`, which Commander ends in this way too
 */
export function reportError(error: unknown, json: boolean): number {
  if (error instanceof CommanderError && error.exitCode === 0) return 0
  const isUsage = error instanceof CommanderError || error instanceof UsageError
  const message = messageOf(error)
  // Commander prints its own errors.
  if (!(error instanceof CommanderError)) printMessage(message.replace(/^/gm, 'error: '))
  if (json) {
    const code = error instanceof OperatorError ? error.code : isUsage ? 'USAGE' : 'INTERNAL'
    printResult(true, { error: { code, message: message.replace(/^error: /, '') } }, () => [])
  }
  return isUsage ? 2 : 1
}

function messageOf(error: unknown): string {
  if (error instanceof OperatorError || error instanceof CommanderError) return error.message
  const { message, code } = error as { message?: string; code?: string }
  return `unexpected error: ${message || code || String(error)}`
}
