/** What a command tells: its result on stdout, for people or as one JSON document; its faults by line and exit code. */
import { once } from 'node:events'
import type { TableConstructorOptions } from 'cli-table3'
import { CommanderError } from 'commander'
import { OperatorError } from '../db/operator-error'

/** The command was used wrongly, or the settings are faulty. */
export class UsageError extends OperatorError {}

/** Prints the result: the document where JSON was asked for, else the lines. */
export function printResult(json: boolean, document: object, lines: () => string | readonly string[]): void {
  process.stdout.write(`${json ? JSON.stringify(document) : [lines()].flat().join('\n')}\n`)
}

/** A table for people, still without rows. What draws it takes long to load, and most commands draw none. */
export function openTable(head: string[], colAligns: TableConstructorOptions['colAligns'] = []) {
  const Table = require('cli-table3') as typeof import('cli-table3')
  return new Table({ head, colAligns, style: { head: [], border: [], compact: true } })
}

/** Tells the operator something beside the result. */
export function printMessage(line: string): void {
  process.stderr.write(`${line}\n`)
}

/** Waits until whoever reads what is said has caught up: what is not read yet is held in memory. */
export async function messagesDrained(): Promise<void> {
  if (process.stderr.writableNeedDrain) await once(process.stderr, 'drain').catch(() => {})
}

/**
 * Tells why a command ended.
 *
 * @param json whether a JSON document is asked for
 * @returns the exit code: 0 when there was no fault, 1 for a fault, 2 for wrong usage
 */
export function reportError(error: unknown, json: boolean): number {
  if (error instanceof CommanderError && error.exitCode === 0) return 0
  // Commander has told people already.
  const usage = error instanceof CommanderError || error instanceof UsageError
  const message = messageOf(error)
  if (!(error instanceof CommanderError)) printMessage(message.replace(/^/gm, 'error: '))
  if (json) {
    const code = error instanceof OperatorError ? error.code : usage ? 'USAGE' : 'INTERNAL'
    process.stdout.write(`${JSON.stringify({ error: { code, message: message.replace(/^error: /, '') } })}\n`)
  }
  return usage ? 2 : 1
}

function messageOf(error: unknown): string {
  if (error instanceof OperatorError || error instanceof CommanderError) return error.message
  const { message, code } = error as { message?: string; code?: string }
  return `unexpected fault: ${message || code || String(error)}`
}
