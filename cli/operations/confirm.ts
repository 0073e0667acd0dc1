/** Asks the operator before data is changed. */
import { createInterface } from 'node:readline/promises'
import { OperatorError } from '../../db/operator-error'
import type { Invocation } from '../invocation'
import { shutdownSignal } from '../shutdown'
import { UsageError } from '../usage-error'

export interface ConfirmOptions {
  yes?: boolean
  dryRun?: boolean
}

const canAsk = ({ stdin, stderr }: Invocation): boolean => stdin.isTTY === true && stderr.isTTY === true

/** @throws UsageError where a confirmation is needed and nobody can be asked */
export function checkConfirmable(invocation: Invocation, { yes, dryRun }: ConfirmOptions): void {
  if (yes || dryRun || canAsk(invocation)) return
  throw new UsageError(
    'CONFIRMATION_REQUIRED',
    'there is no terminal to ask for confirmation: give --yes to go on, or --dry-run to see what would be changed',
  )
}

/** Asks on the terminal. @throws OperatorError NOT_CONFIRMED unless the answer is yes */
export async function confirm({ stdin, stderr }: Invocation, question: string): Promise<void> {
  const terminal = createInterface({ input: stdin, output: stderr })
  // On a terminal, Ctrl+C is a character.
  terminal.once('SIGINT', () => process.kill(process.pid, 'SIGINT'))
  try {
    const answer = await terminal.question(`${question} Type "yes" to continue: `, { signal: shutdownSignal })
    if (/^(y|yes)$/i.test(answer.trim())) return
  } catch (error) {
    shutdownSignal.throwIfAborted()
    throw error
  } finally {
    terminal.close()
  }
  throw new OperatorError('NOT_CONFIRMED', 'nothing was changed')
}
